import type { RequestListener } from 'node:http'
import { addressList } from '../../base/request-source.ts'
import type { Config } from '../config/config.ts'
import { isOurHost, urlOf } from '../config/read/addresses.ts'
import { type Listening, listen } from './listen.ts'
import type { OperationAccess, OperationRoutes } from './operation-routes.ts'
import { sendReply } from './reply.ts'

/** The ports of one gateway. */
export interface Ports {
  readonly main: Listening
  readonly metrics: Listening | undefined
}

/** All of them or none. */
export async function openPorts({ listen: address, metrics, clocks }: Config): Promise<Ports> {
  const main = await listen(address, clocks.body)
  try {
    return { main, metrics: metrics.listen && (await listen(metrics.listen, clocks.body, 'metrics.listen')) }
  } catch (error) {
    main.close()
    throw error
  }
}

/** The ports as they are: the system chooses one where the settings say 0. */
export function withPorts(config: Config, { main, metrics }: Ports): Config {
  const listen = { ...config.listen, port: main.port }
  return {
    ...config,
    listen,
    publicUrl: config.hasOwnUrl ? config.publicUrl : urlOf(listen),
    ...(config.metrics.listen &&
      metrics && { metrics: { ...config.metrics, listen: { ...config.metrics.listen, port: metrics.port } } }),
  }
}

/** Whom the main port serves. */
export function mainAccess({ auth, metrics }: Config): OperationAccess {
  return { anyHost: auth !== undefined, metrics: addressList(metrics.allow) }
}

/** Whom the port of `metrics.listen` serves: whoever reaches it, unless `metrics.allow` names those who may read. */
export function metricsAccess({ metrics: { listen, allow } }: Config): OperationAccess {
  return {
    anyHost: listen !== undefined && !isOurHost(listen.host),
    metrics: allow.length === 0 ? 'everyone' : addressList(allow),
  }
}

export function metricsListener(routes: OperationRoutes): RequestListener {
  return (request, response) => {
    if (routes(request, response)) return
    sendReply(
      { status: 404, body: { error: 'Only /metrics, /healthz and /readyz are served here.' } },
      request,
      response,
    )
  }
}
