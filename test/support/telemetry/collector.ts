import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished, vi } from 'vitest'

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly status?: { readonly code: number }
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Point {
  readonly attributes: readonly Attribute[]
  readonly [more: string]: unknown
}

/** A metric as a collector gets it. */
export interface CollectedMetric {
  readonly name: string
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] }
  readonly gauge?: { readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

export interface CollectedLog {
  readonly body: { readonly stringValue: string }
  readonly facts: Readonly<Record<string, unknown>>
}

interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly bytes: string
}

/** A collector of OTLP over HTTP with JSON. */
export interface Collector {
  readonly url: string
  readonly received: readonly Received[]
  /** Every byte that came. */
  bytes(): string
  spans(): CollectedSpan[]
  /** The last reading. */
  metrics(): CollectedMetric[]
  logs(): CollectedLog[]
  resource(): Readonly<Record<string, unknown>>
  /** Resolves when there are so many spans. */
  untilSpans(count: number): Promise<CollectedSpan[]>
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is read as the specification of OTLP names it.
type Body = any

/** `answers` is the status of each request, in turn; 200 after the last. */
export async function startCollector(answers: readonly number[] = []): Promise<Collector> {
  const received: Received[] = []
  const left = [...answers]
  const server = createServer(async (request, response) => {
    const bytes = await text(request)
    const status = left.shift() ?? 200
    if (status === 200) received.push({ path: request.url ?? '', headers: request.headers, bytes })
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())

  const bodies = (path: string): Body[] =>
    received.filter((one) => one.path === path).map(({ bytes }) => JSON.parse(bytes))
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    bytes: () => received.map(({ bytes }) => bytes).join('\n'),
    spans: () =>
      bodies('/v1/traces').flatMap((body) =>
        body.resourceSpans[0].scopeSpans[0].spans.map((span: Body) => ({ ...span, facts: factsOf(span.attributes) })),
      ),
    metrics: () => bodies('/v1/metrics').at(-1)?.resourceMetrics[0].scopeMetrics[0].metrics ?? [],
    logs: () =>
      bodies('/v1/logs').flatMap((body) =>
        body.resourceLogs[0].scopeLogs[0].logRecords.map((log: Body) => ({ ...log, facts: factsOf(log.attributes) })),
      ),
    resource: () => factsOf(bodies('/v1/traces')[0].resourceSpans[0].resource.attributes),
    untilSpans: (count) =>
      vi.waitUntil(() => (collector.spans().length >= count ? collector.spans() : undefined), { timeout: 30_000 }),
  }
  return collector
}

export function factsOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, 'intValue' in value ? Number(value.intValue) : Object.values(value)[0]]),
  )
}
