import { randomUUID } from 'node:crypto'
import type { Assent } from '../../assent.ts'
import { createEvents, type Events } from '../../base/events.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Hub } from '../../hub/hub.ts'
import type { Log, LogLevel } from '../../observe/log.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { Config } from '../config/config.ts'
import { print } from '../print.ts'
import { version } from '../version.ts'
import { countOpen } from './operation-routes.ts'

/** The log and the metrics of one gateway. */
export interface Observing {
  /** What the gateway reports, for the log and the metrics. */
  readonly news: Events<GatewayNews>
  readonly log: Log
  metricsOf(gateway: Gateway, hub: Hub | undefined): Metrics
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** The log goes to standard error. ASSENT_LOG sets its level; the default is `warn` in a terminal, and `info` elsewhere. */
export async function observing(assent: Assent, { servers }: Config): Promise<Observing> {
  const [{ createLog }, { logAsks, logGateway }, { createMetrics }] = await Promise.all([
    import('../../observe/log.ts'),
    import('../../observe/log-news.ts'),
    import('../../observe/metrics.ts'),
  ])
  const wanted = levels.find((level) => level === process.env.ASSENT_LOG)
  const log = createLog({ level: wanted ?? (process.stderr.isTTY ? 'warn' : 'info') })
  const news = createEvents<GatewayNews>()
  logAsks(log, assent.events)
  logGateway(log, news)
  sayMissing(news)
  return {
    news,
    log,
    metricsOf(gateway, hub) {
      const metrics = createMetrics({
        servers: [...servers.keys()],
        open: () => countOpen(assent),
        sessions: () => gateway.sessions,
        parked: () => gateway.parked,
        ...(hub && { hub }),
      })
      metrics.listenToAsks(assent.events)
      metrics.listenToGateway(news)
      return metrics
    },
  }
}

/** Telemetry as the settings say. Without them nothing of it is loaded. */
export async function telemetryFrom(
  { telemetry }: Config,
  onError: (error: unknown) => void,
): Promise<Telemetry | undefined> {
  if (telemetry === undefined) return undefined
  const { createTelemetry } = await import('../../telemetry/telemetry.ts')
  return createTelemetry({ ...telemetry, serviceVersion: version, instance: randomUUID(), onError })
}

/** Says in the terminal which server a client's list was short of, and when it is there. */
function sayMissing(news: Events<GatewayNews>): void {
  news.listen((one) => {
    if (one.kind === 'server-missing') {
      const seconds = Math.max(1, Math.round(one.waitedMs / 1_000))
      const why = one.reason === undefined ? '' : ` (${visibleLine(one.reason, 300)})`
      const state = one.isStarting ? 'has not started yet' : 'is down'
      print(
        `${one.server} ${state}${why}: a client waited ${seconds} s and got a list without it. Clients are notified when it is there.`,
      )
    }
    if (one.kind === 'server-found') print(`${one.server} is there now.`)
  })
}
