import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Events } from '../base/events.ts'
import type { GatewayNews } from '../call/news.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import { labelValues } from './label-values.ts'
import { actionOutcome, outcomeOf, waitedMs } from './outcome.ts'

/** What is read when somebody looks, in the place of being counted. */
export interface MetricsSources {
  /** Questions that are open in the store. */
  open?(): number | Promise<number>
  sessions?(): number
  parked?(): number
}

export interface MetricsOptions extends MetricsSources {
  /** The ids of the upstreams; left out, the first that are heard of. */
  readonly servers?: readonly string[]
}

/** Numbers about what goes on, as Prometheus reads them. No number names a person, an argument or a text of a stranger. */
export interface Metrics {
  /** Returns how to stop listening. */
  listenToAsks(events: Events<ElicitationNews>): () => void
  listenToGateway(events: Events<GatewayNews>): () => void
  readonly contentType: string
  text(): Promise<string>
}

// People take seconds or days, and we take less than a millisecond or are in trouble.
const waitSeconds = [1, 5, 15, 30, 60, 300, 900, 3_600, 21_600, 86_400]
const callSeconds = [0.005, 0.02, 0.1, 0.5, 1, 5, 30, 120, 600]
const ownSeconds = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1]

/** Each has a registry of its own, so that two in one process count apart. */
export function createMetrics({ servers, open, sessions, parked }: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const series = seriesIn(registry)
  gauge(registry, 'assent_asks_open', 'Questions that are open in the store; 1000 stands for more.', open)
  gauge(registry, 'assent_sessions', 'Sessions of 2025 clients that are open.', sessions)
  gauge(registry, 'assent_calls_parked', 'Calls that wait for a 2026 client to come back.', parked)
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
    asks: count('assent_asks_total', 'Questions asked; joined: one like it was open already.', [...kind, 'joined']),
    settled: count('assent_asks_settled_total', 'Questions that came to an end, by how.', [...kind, 'outcome']),
    wait: new Histogram({
      name: 'assent_ask_wait_seconds',
      help: 'From asking to the end of the question.',
      labelNames: [...kind],
      buckets: waitSeconds,
      registers,
    }),
    fallbacks: count('assent_fallbacks_total', 'Clients that could not be asked in the way that was needed.', [
      'reason',
    ]),
    refused: count('assent_answers_refused_total', 'Answers of somebody who may not give them.', ['reason']),
    channels: count('assent_channel_failures_total', 'Channels that could not be told of a question.', ['channel']),
    tidying: count('assent_tidy_failures_total', 'Times that looking for questions past their time failed.', []),
    calls: count('assent_calls_total', 'Calls that came to an end; refused ones never ran.', ['server', 'outcome']),
    duration: new Histogram({
      name: 'assent_call_seconds',
      help: 'From the request to its end, with everybody who was waited for.',
      labelNames: ['server'],
      buckets: callSeconds,
      registers,
    }),
    own: new Histogram({
      name: 'assent_call_own_seconds',
      help: 'Deciding on a call and recording it: without upstreams, and only where no person was waited for.',
      buckets: ownSeconds,
      registers,
    }),
    up: new Gauge({
      name: 'assent_upstream_up',
      help: 'Whether the upstream could be reached when it was last needed.',
      labelNames: ['server'],
      registers,
    }),
    negotiated: count('assent_negotiated_total', 'New agreements with clients and upstreams.', ['side', 'revision']),
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
        // A store that is down must not take the other numbers with it.
        this.set(Number.NaN)
      }
    },
  })
}
