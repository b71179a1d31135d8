import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Assent } from '../../assent.ts'
import { milliseconds } from '../../base/durations.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import type { Hub } from '../../hub/hub.ts'
import type { Log } from '../../observe/log.ts'
import { readAddress } from '../../stores/open.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { Web } from '../../web/index.ts'
import type { Config } from '../config/config.ts'
import type { Given } from '../config/read.ts'
import { type Demo, startDemo } from '../demo/demo.ts'
import { print } from '../print.ts'
import { serveDespiteRejections } from '../rejections.ts'
import { configOf, optionsFrom } from '../with-assent.ts'
import { showBanner } from './banner.ts'
import { gatewayFrom } from './gateway-from-config.ts'
import { observing, telemetryFrom } from './observing.ts'
import { type OperationRoutes, operationRoutes } from './operation-routes.ts'
import { mainAccess, metricsAccess, metricsListener, openPorts, type Ports, withPorts } from './ports.ts'
import { consoleSources, webOptions } from './web-options.ts'

interface ServeOptions extends Given {
  readonly demo?: true
}

/** Runs the gateway and its pages until a signal stops them. */
export async function serveGateway(command: Command): Promise<void> {
  const given = command.optsWithGlobals<ServeOptions>()
  const config = await configOf(command)
  const isDemo = given.demo === true && config.servers.size === 0
  await run(isDemo ? inDemoStore(config, given) : config, given, isDemo)
}

async function run(asked: Config, given: Given, isDemo: boolean): Promise<void> {
  const stopping = signalled('SIGINT', 'SIGTERM')
  const ports = await openPorts(asked)
  let demo: Demo | undefined
  try {
    const config = withPorts(asked, ports)
    demo = isDemo ? await startDemo(config) : undefined
    await serve(ports, { config: demo?.config ?? config, asked: config, given, isDemo }, stopping)
  } finally {
    for (const port of [ports.main, ports.metrics]) port?.close()
    await demo?.close()
  }
}

interface Serving {
  readonly config: Config
  /** The settings without what the demo adds. */
  readonly asked: Config
  readonly given: Given
  readonly isDemo: boolean
}

async function serve(
  ports: Ports,
  { config, asked, given, isDemo }: Serving,
  stopping: Promise<NodeJS.Signals>,
): Promise<void> {
  const lost: unknown[] = []
  let tellLost = (error: unknown): void => {
    lost.push(error)
  }
  const telemetry = await telemetryFrom(config, (error) => tellLost(error))
  const assent = await start(config, telemetry)
  try {
    const { log, news, metricsOf } = await observing(assent, config)
    tellLost = (err) => log.warn({ err }, 'telemetry is lost')
    for (const error of lost) tellLost(error)
    telemetry?.listenToAsks(assent.events)
    serveDespiteRejections((err) => log.error({ err }, 'a promise was rejected and nobody waited for it'))
    const gateway = await gatewayFrom(assent, config, (err) => log.error({ err }, 'a request failed'), {
      news,
      tracing: telemetry?.tracing,
    })
    gateway.start()
    gateway.join()
    let isStopping = false
    const web = await pagesOf(assent, config, gateway, log)
    const hub = await hubFrom(assent, config, log, gateway.post)
    const metrics = metricsOf(gateway, hub)
    telemetry?.sendMetrics(() => metrics.text())
    const operation = {
      assent,
      gateway,
      metrics,
      skewMs: milliseconds(config.clocks.skew),
      isStopping: () => isStopping,
    }
    const failed = (err: unknown) => log.error({ err }, 'a page for operators failed')
    const routes = operationRoutes(operation, mainAccess(config), failed)
    const { hookRoutes } = await import('../hook/hook-routes.ts')
    const hooks = await hookRoutes(assent, config, (err) => log.error({ err }, 'a hook failed'))
    ports.main.serve(listenerFor(gateway, [routes, hooks.handle, ...(hub ? [hub.handle] : [])], web))
    if (hub !== undefined) ports.main.upgrade(hub.upgrade)
    ports.metrics?.serve(metricsListener(operationRoutes(operation, metricsAccess(config), failed)))
    // Before the banner says that Assent runs: from then on people change the file and expect it to count.
    const stopReloading = await reloading(assent, asked, given, isDemo)
    const farewell = await showBanner(assent, config, { given, isDemo })
    const signal = await stopping
    farewell()
    isStopping = true
    if (signal === 'SIGTERM') await drain(gateway, config)
    print('Stopping.')
    await finish(gateway, milliseconds(config.clocks.finish))
    await hub?.close()
    // Just before the end: a client that is told to come back does so at once.
    assent.endWaits()
    await pause(settleMs)
    // Closing the gateway answers the calls that are parked or still in flight with an error; new requests get a 503.
    web.close()
    hooks.close()
    await Promise.all([gateway.close(), ports.main.finish(), ports.metrics?.finish()])
    await stopReloading()
  } finally {
    await assent.close()
    // Last, since closing writes to the audit too.
    await telemetry?.close()
  }
}

/**
 * Goes on serving while `/readyz` says that this instance stops, so that a balancer sends new requests elsewhere and calls in
 * progress can end. Where no other machine shares the store, nobody could serve instead.
 */
async function drain(gateway: Gateway, { store, clocks }: Config): Promise<void> {
  const { kind } = readAddress(store)
  const drainMs = milliseconds(clocks.drain)
  if (kind !== 'postgres' && kind !== 'redis') return
  print(`Stopping in ${drainMs / 1_000} s. Until then requests are still served, and /readyz answers 503.`)
  // The store may be down. That is no reason not to stop.
  await gateway.stopping().catch(() => {})
  await pause(drainMs)
}

/**
 * Waits until servers have answered the calls that they were sent. Parked calls wait for people, who may take much longer.
 */
async function finish(gateway: Gateway, mostMs: number): Promise<void> {
  const inFlight = () => gateway.upstreams().reduce((sum, { state }) => sum + state.inFlight, -gateway.parked)
  const until = performance.now() + mostMs
  const count = inFlight()
  if (count > 0) {
    const calls = count === 1 ? '1 request that a server is' : `${count} requests that servers are`
    print(`Waiting up to ${mostMs / 1_000} s for ${calls} working on. To stop at once, press Ctrl-C again.`)
  }
  while (inFlight() > 0 && performance.now() < until) await pause(lookMs)
}

const lookMs = 50
/** For as long as an answer takes to be recorded and written, in milliseconds. */
const settleMs = 250

/** An Assent with all settings, and a bell in this terminal. */
async function start(config: Config, telemetry: Telemetry | undefined): Promise<Assent> {
  const { createAssent } = await import('../../assent.ts')
  const { bellChannel } = await import('./bell.ts')
  const options = await optionsFrom(config)
  const bell = bellChannel({
    output: process.stdout,
    env: process.env,
    settled: (id) => assent.wait(id),
  })
  const assent = await createAssent({
    ...options,
    channels: [...(options.channels ?? []), bell],
    ...(telemetry && config.telemetry?.endpoints.logs !== undefined && { onStored: telemetry.recorded }),
  })
  return assent
}

/** Reloads the policy when its file changes. The rules of the demo are in no file. */
async function reloading(assent: Assent, asked: Config, given: Given, isDemo: boolean): Promise<() => Promise<void>> {
  if (isDemo && asked.written === undefined) return async () => {}
  return (await import('./reload-policy.ts')).reloadingPolicy(assent, asked, given)
}

/** The demo has a store of its own, apart from real data. */
function inDemoStore(config: Config, { store }: Given): Config {
  return config.written === undefined && store === undefined ? { ...config, store: 'sqlite:.assent/demo.db' } : config
}

async function pagesOf(assent: Assent, config: Config, gateway: Gateway, log: Log): Promise<Web> {
  const { createWeb } = await import('../../web/index.ts')
  return createWeb(assent, {
    ...webOptions(config),
    console: consoleSources(gateway, config),
    onError: (err) => log.error({ err }, 'a page failed'),
  })
}

/** The hub, where the settings have spaces. */
async function hubFrom(
  assent: Assent,
  { hub, publicUrl }: Config,
  log: Log,
  post: Gateway['post'],
): Promise<Hub | undefined> {
  const { spaces, limits, times } = hub
  if (Object.keys(spaces).length === 0) return undefined
  const { createHub } = await import('../../hub/hub.ts')
  const made = await createHub({ assent, spaces, limits, times, post, origins: [new URL(publicUrl).origin] })
  made.events.listen((news) => {
    if (news.kind === 'hub-failed') log.error({ err: news.error, space: news.space }, 'the hub failed')
  })
  return made
}

/** Each answers what is its own, and returns false for the rest, which the pages answer. */
function listenerFor(gateway: Gateway, others: readonly OperationRoutes[], web: Web): RequestListener {
  return (request, response) => {
    if (gateway.handle(request, response) || others.some((handle) => handle(request, response))) return
    web.node(request, response)
  }
}

/** Resolves at the first of these signals. The second one ends the process at once. */
function signalled(...signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, resolve)
  })
}
