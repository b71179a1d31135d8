import type { Events } from '../base/events.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import type { Tracing } from '../gateway/tracing.ts'
import { followAsks } from './ask-spans.ts'
import { createItemQueue, type ItemQueue } from './item-queue.ts'
import type { Signal, TelemetryOptions } from './options.ts'
import { logsBody, type RecordedEvent } from './otlp/audit-logs.ts'
import { metricsBody } from './otlp/metrics.ts'
import { tracesBody } from './otlp/spans.ts'
import type { EndedSpan } from './span.ts'
import { createTracer } from './tracing.ts'

/** Sends what happens to a collector of OpenTelemetry. */
export interface Telemetry {
  /** Follows calls. Undefined where traces are not sent. */
  readonly tracing: Tracing | undefined
  /** Follows questions, as parts of the calls that ask them. */
  listenToAsks(events: Events<ElicitationNews>): void
  /** Takes what was stored in the audit. */
  recorded(events: readonly RecordedEvent[]): void
  /** Sends these metrics from time to time. */
  sendMetrics(text: () => Promise<string>): void
  /** Sends what is left. */
  close(): Promise<void>
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const startMs = Date.now()
  const traces = queueFor<EndedSpan>('traces', (spans) => tracesBody(options, spans))
  const logs = queueFor<RecordedEvent>('logs', (events) => logsBody(options, events))
  const metrics = queueFor<string>('metrics', ([text = '']) =>
    metricsBody(options, text, { startMs, nowMs: Date.now() }),
  )
  const tracer = traces && createTracer(options.sample, (spans) => traces.add(spans))
  let readMetrics: (() => Promise<string>) | undefined
  let timer: NodeJS.Timeout | undefined

  function queueFor<Item>(signal: Signal, body: (items: readonly Item[]) => object): ItemQueue<Item> | undefined {
    const url = options.endpoints[signal]
    if (url === undefined) return undefined
    const { headers, onError } = options
    // A newer reading of the metrics replaces one that could not be sent.
    return createItemQueue({ url, headers, most: signal === 'metrics' ? 1 : options.queue, body, onError })
  }

  async function addMetrics(): Promise<void> {
    const text = await readMetrics?.()
    if (text !== undefined) metrics?.add([text])
  }

  return {
    tracing: tracer,
    listenToAsks: (events) => void (tracer && followAsks(events, tracer.current)),
    recorded: (events) => logs?.add(events),
    sendMetrics(text) {
      if (metrics === undefined) return
      readMetrics = text
      timer = setInterval(() => void addMetrics().catch(options.onError), options.everyMs).unref()
    },
    async close() {
      clearInterval(timer)
      await addMetrics().catch(options.onError)
      await Promise.all([traces?.close(), logs?.close(), metrics?.close()])
    },
  }
}
