import type { Registry } from 'prom-client'
import type { Events } from '../base/events.ts'
import type { GatewayNews } from '../call/news.ts'
import type { ElicitationNews } from '../elicitation/desk.ts'
import { type CountedHub, countHub } from './hub-metrics.ts'
import { labelValues } from './label-values.ts'
import { actionOutcome, waitedMs } from './outcome.ts'
import { Histogram, Numbers } from './series.ts'

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
  /** The hub, where there is one. */
  readonly hub?: CountedHub
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

/** Creates metrics of their own, so that two in one process count separately. */
export function createMetrics({ servers, open, sessions, parked, hub }: MetricsOptions = {}): Metrics {
  const series = makeSeries()
  const sources = [
    source('assent_asks_open', 'Open questions in the store. Counting stops at 1000.', open),
    source('assent_sessions', 'Open sessions of 2025 clients.', sessions),
    source('assent_calls_parked', 'Calls that wait for the retry of a 2026 client.', parked),
  ]
  const spaces = hub && countHub(hub)
  let process: Promise<Registry> | undefined
  const server = labelValues(servers)
  const reason = labelValues(undefined)
  const channel = labelValues(undefined)

  function onAsk(news: ElicitationNews) {
    switch (news.kind) {
      case 'asked':
      case 'joined':
        return series.asks.add(...kindOf(news.elicitation), String(news.kind === 'joined'))
      case 'settled': {
        const { createdAt, state } = news.elicitation
        series.settled.add(...kindOf(news.elicitation), news.outcome)
        return series.wait.observe(waitedMs(createdAt, state) / 1_000, ...kindOf(news.elicitation))
      }
      case 'carried-asked':
        return series.asks.add(news.mode, news.purpose, 'false')
      case 'carried-answered': {
        const { mode, purpose } = news
        series.settled.add(mode, purpose, actionOutcome(news.action))
        return news.waitedMs === undefined ? undefined : series.wait.observe(news.waitedMs / 1_000, mode, purpose)
      }
      case 'fallback':
        return series.fallbacks.add(reason(news.reason))
      case 'answer-refused':
        return series.refused.add(reason(news.reason))
      case 'channel-failed':
        return series.channels.add(channel(news.channel))
      case 'tidy-failed':
        return series.tidying.add()
      case 'clock-wrong':
        return
    }
  }

  function onGateway(news: GatewayNews) {
    switch (news.kind) {
      case 'call-ended':
        series.calls.add(server(news.server), news.outcome)
        series.duration.observe(news.durationMs / 1_000, server(news.server))
        if (news.ownMs !== undefined) series.own.observe(news.ownMs / 1_000)
        return
      case 'upstream-changed':
        return series.up.set(news.state === 'up' ? 1 : 0, server(news.server))
      case 'items-left-out':
        return series.leftOut.set(news.count, server(news.server), news.list)
      case 'negotiated':
        return series.negotiated.add(news.side, revisionLabel(news.revision))
    }
  }

  return {
    listenToAsks: (events) => events.listen(onAsk),
    listenToGateway: (events) => events.listen(onGateway),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      process ??= readProcess()
      const own = Object.values(series).map((one) => one.text())
      const read = await Promise.all(sources.map((one) => one()))
      return `${[...own, ...read.flat(), ...(spaces?.text() ?? []), await (await process).metrics()].join('\n\n')}\n`
    },
  }
}

/** Loaded when the metrics are read for the first time. */
async function readProcess(): Promise<Registry> {
  const { processMetrics } = await import('./process-metrics.ts')
  return processMetrics()
}

function kindOf({ question, purpose }: { question: { mode: string }; purpose: string }): [string, string] {
  return [question.mode, purpose]
}

const revisionLabel = labelValues(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])

function makeSeries() {
  const count = (name: string, help: string, labels: string[]) => new Numbers('counter', { name, help, labels })
  const gauge = (name: string, help: string, labels: string[]) => new Numbers('gauge', { name, help, labels })
  const kind = ['mode', 'purpose']
  return {
    asks: count('assent_asks_total', 'Questions asked. joined="true": the same question was open already.', [
      ...kind,
      'joined',
    ]),
    settled: count('assent_asks_settled_total', 'Questions settled, by outcome.', [...kind, 'outcome']),
    wait: new Histogram(waitSeconds, {
      name: 'assent_ask_wait_seconds',
      help: 'Time from asking a question until it was settled.',
      labels: kind,
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
    duration: new Histogram(callSeconds, {
      name: 'assent_call_seconds',
      help: 'Time from the request to its end, including the time that people and upstreams took.',
      labels: ['server'],
    }),
    own: new Histogram(ownSeconds, {
      name: 'assent_call_own_seconds',
      help: 'Time that Assent itself took for a call, without upstreams. Only calls that waited for nobody.',
    }),
    up: gauge('assent_upstream_up', 'Whether the upstream could be reached at its last use (1) or not (0).', [
      'server',
    ]),
    leftOut: gauge(
      'assent_items_left_out',
      'Items of the list of an upstream that cannot be used, such as tools whose definition is too large.',
      ['server', 'list'],
    ),
    negotiated: count('assent_negotiated_total', 'Connections negotiated, by side and protocol revision.', [
      'side',
      'revision',
    ]),
  }
}

/** A number that is read when the metrics are. */
function source(name: string, help: string, read?: () => number | Promise<number>): () => Promise<string[]> {
  if (read === undefined) return async () => []
  const gauge = new Numbers('gauge', { name, help })
  return async () => {
    try {
      gauge.set(await read())
    } catch {
      // A store that is down must not make the other metrics unavailable.
      gauge.set(Number.NaN)
    }
    return [gauge.text()]
  }
}
