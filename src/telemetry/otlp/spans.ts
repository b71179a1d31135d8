import type { TelemetryOptions } from '../options.ts'
import type { EndedSpan } from '../span.ts'
import { keyValues, nanoseconds, resourceOf } from './values.ts'

const kinds = { internal: 1, server: 2, client: 3 } as const
const statusError = 2

/** Spans as the body of a request to `/v1/traces`. */
export function tracesBody(options: TelemetryOptions, spans: readonly EndedSpan[]): object {
  const scope = { name: 'assent', version: options.serviceVersion }
  return { resourceSpans: [{ resource: resourceOf(options), scopeSpans: [{ scope, spans: spans.map(written) }] }] }
}

function written({ context, parentId, name, kind, startMs, endMs, attributes, isError }: EndedSpan): object {
  const { traceId, spanId, state } = context
  return {
    traceId,
    spanId,
    ...(state !== undefined && { traceState: state }),
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: keyValues(attributes),
    ...(isError && { status: { code: statusError } }),
  }
}
