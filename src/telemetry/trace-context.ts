import { randomBytes } from 'node:crypto'

/** Which trace a span belongs to, and under which span, as W3C Trace Context writes it. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  readonly isSampled: boolean
  /** What other systems added to the trace. Passed on as it came. */
  readonly state?: string | undefined
}

const longestState = 512
const written = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined for what is no `traceparent`: then a new trace begins. Later versions may have more parts. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > longestState) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = written.exec(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  const isState =
    typeof tracestate === 'string' && tracestate.length <= longestState && /^[\x20-\x7e]+$/.test(tracestate)
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
    ...(isState && { state: tracestate }),
  }
}

/** The headers, and keys of `_meta`, by which a trace is carried on. */
export function writeTraceContext({ traceId, spanId, isSampled, state }: TraceContext): Record<string, string> {
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    ...(state !== undefined && { tracestate: state }),
  }
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')

/** Whether a new trace is one of this share. By its id, so that every system that applies the same share agrees. */
export function isInShare(traceId: string, share: number): boolean {
  return Number.parseInt(traceId.slice(-8), 16) < share * 2 ** 32
}
