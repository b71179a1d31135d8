import type { Assent } from '../../assent.ts'
import { createEvents, type Events } from '../../base/events.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Log, LogLevel } from '../../observe/log.ts'
import type { Metrics } from '../../observe/metrics.ts'
import type { Config } from '../config/config.ts'
import { countOpen } from './operation-routes.ts'

/** The log and the metrics of one gateway. */
export interface Observing {
  /** What the gateway reports, for the log and the metrics. */
  readonly news: Events<GatewayNews>
  readonly log: Log
  metricsOf(gateway: Gateway): Metrics
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
  return {
    news,
    log,
    metricsOf(gateway) {
      const metrics = createMetrics({
        servers: [...servers.keys()],
        open: () => countOpen(assent),
        sessions: () => gateway.sessions,
        parked: () => gateway.parked,
      })
      metrics.listenToAsks(assent.events)
      metrics.listenToGateway(news)
      return metrics
    },
  }
}
