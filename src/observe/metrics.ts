import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Events } from '../base/events.ts'
import type { GatewayNews } from '../call/news.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import { labelValues } from './label-values.ts'
import { actionOutcome, outcomeOf, waitedMs } from './outcome.ts'

/** Numbers that are read when the metrics are, instead of being counted. */
export interface MetricsSources {
  /** The number of open questions in the store. */
  open?(): number | Promise<number>
  sessions?(): number
  parked?(): number
}

export interface MetricsOptions extends MetricsSources {
  /** The ids of the upstreams. Left out, the first ids that occur are used. */
  readonly servers?: readonly string[]
}

/** Metrics in the format of Prometheus. No label names a person or an argument, or holds text from outside. */
export interface Metrics {
  /** Counts questions. Returns how to stop. */
  listenToAsks(events: Events<ElicitationNews>): () => void
  /** Counts calls and negotiations. Returns how to stop. */
  listenToGateway(events: Events<GatewayNews>): () => void
  readonly contentType: string
  text(): Promise<string>
}

// People take seconds to days. Assent itself should take less than a millisecond.
const waitSeconds = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400]
const callSeconds = [0.005, 0.02, 0.1, 0.5, 1, 5, 30, 120, 600]
const ownSeconds = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1]

/** Creates metrics with a registry of their own, so that two in one process count separately. */
export function createMetrics({ servers, open, sessions, parked }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const series = seriesIn(registry)
  gauge(registry, 'assent_asks_open', 'Open questions in the store. Counting stops at 1000.', open)
  gauge(registry, 'assent_sessions', 'Open sessions of 2025 clients.', sessions)
  gauge(registry, 'assent_calls_parked', 'Calls that wait for the retry of a 2026 client.', parked)
  const server = labelValues(servers)
  const reason = labelValues(undefined)
  const channel = labelValues(undefined)

  function onAsk(news: ElicitationNews) {
    switch (news.kind) {
      case 'asked':
      case 'joined':
        return series.asks.inc({ ...kindOf(news.elicitation), joined: String(news.kind === 'joined') })
      case 'settled': {
        const { createdAt, state } = news.elicitation
        series.settled.inc({ ...kindOf(news.elicitation), outcome: outcomeOf(state) })
        return series.wait.observe(kindOf(news.elicitation), waitedMs(createdAt, state) / 1_000)
      }
      case 'carried-asked':
        return series.asks.inc({ mode: news.mode, purpose: news.purpose, joined: 'false' })
      case 'carried-answered': {
        const kind = { mode: news.mode, purpose: news.purpose }
        series.settled.inc({ ...kind, outcome: actionOutcome(news.action) })
        return news.waitedMs === undefined ? undefined : series.wait.observe(kind, news.waitedMs / 1_000)
      }
      case 'fallback':
        return series.fallbacks.inc({ reason: reason(news.reason) })
      case 'answer-refused':
        return series.refused.inc({ reason: reason(news.reason) })
      case 'channel-failed':
        return series.channels.inc({ channel: channel(news.channel) })
      case 'tidy-failed':
        return series.tidying.inc()
      case 'clock-wrong':
        return
    }
  }

  function onGateway(news: GatewayNews) {
    switch (news.kind) {
      case 'call-ended':
        series.calls.inc({ server: server(news.server), outcome: news.outcome })
        series.duration.observe({ server: server(news.server) }, news.durationMs / 1_000)
        if (news.ownMs !== undefined) series.own.observe(news.ownMs / 1_000)
        return
      case 'upstream-changed':
        return series.up.set({ server: server(news.server) }, news.state === 'up' ? 1 : 0)
      case 'items-left-out':
        return series.leftOut.set({ server: server(news.server), list: news.list }, news.count)
      case 'negotiated':
        return series.negotiated.inc({ side: news.side, revision: revisionLabel(news.revision) })
    }
  }

  return {
    listenToAsks: (events) => events.listen(onAsk),
    listenToGateway: (events) => events.listen(onGateway),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}

function kindOf({ question, purpose }: { question: { mode: string }; purpose: string }) {
  return { mode: question.mode, purpose }
}

const revisionLabel = labelValues(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])

function seriesIn(registry: Registry) {
  const registers = [registry]
  const count = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers })
  const kind = ['mode', 'purpose'] as const
  return {
    asks: count('assent_asks_total', 'Questions asked. joined="true": the same question was open already.', [
      ...kind,
      'joined',
    ]),
    settled: count('assent_asks_settled_total', 'Questions settled, by outcome.', [...kind, 'outcome']),
    wait: new Histogram({
      name: 'assent_ask_wait_seconds',
      help: 'Time from asking a question until it was settled.',
      labelNames: [...kind],
      buckets: waitSeconds,
      registers,
    }),
    fallbacks: count(
      'assent_fallbacks_total',
      'Questions that could not be put to the client as intended, by reason.',
      ['reason'],
    ),
    refused: count('assent_answers_refused_total', 'Answers refused, by reason.', ['reason']),
    channels: count('assent_channel_failures_total', 'Questions that a channel could not deliver.', ['channel']),
    tidying: count('assent_tidy_failures_total', 'Failed runs of the periodic upkeep.', []),
    calls: count('assent_calls_total', 'Calls that ended, by outcome. Refused calls never ran.', ['server', 'outcome']),
    duration: new Histogram({
      name: 'assent_call_seconds',
      help: 'Time from the request to its end, including the time that people and upstreams took.',
      labelNames: ['server'],
      buckets: callSeconds,
      registers,
    }),
    own: new Histogram({
      name: 'assent_call_own_seconds',
      help: 'Time that Assent itself took for a call, without upstreams. Only calls that waited for nobody.',
      buckets: ownSeconds,
      registers,
    }),
    up: new Gauge({
      name: 'assent_upstream_up',
      help: 'Whether the upstream could be reached at its last use (1) or not (0).',
      labelNames: ['server'],
      registers,
    }),
    leftOut: new Gauge({
      name: 'assent_items_left_out',
      help: 'Items of the list of an upstream that cannot be used, such as tools whose definition is too large.',
      labelNames: ['server', 'list'],
      registers,
    }),
    negotiated: count('assent_negotiated_total', 'Connections negotiated, by side and protocol revision.', [
      'side',
      'revision',
    ]),
  }
}

function gauge(registry: Registry, name: string, help: string, read?: () => number | Promise<number>): void {
  if (read === undefined) return
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      try {
        this.set(await read())
      } catch {
        // A store that is down must not make the other metrics unavailable.
        this.set(Number.NaN)
      }
    },
  })
}
