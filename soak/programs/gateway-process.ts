import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createAssent } from '../../src/index.ts'
import { createMetrics } from '../../src/observe/metrics.ts'

/** The options of the process, as JSON in its first argument. */
export interface GatewayProcessOptions {
  readonly store: string
  readonly port: number
  readonly record: string
  readonly hostile: readonly string[]
  readonly seed: number
}

/** Long enough that no open question expires during a soak. */
const day = 86_400_000
const options = JSON.parse(process.argv[2] as string) as GatewayProcessOptions
const assent = await createAssent({
  store: options.store,
  policy: { default: 'allow', fallback: 'inbox', rules: [{ tool: 'careful', decide: 'ask' }] },
  clocks: { tidy: '5s', question: '1d', unspentYes: '1d' },
  limits: { openPerRequester: 10_000 },
})
const news = createEvents<GatewayNews>()
const here = (file: string) => new URL(file, import.meta.url).pathname
const program = (...args: string[]) => ({ command: process.execPath, args })
const servers = {
  good: program(here('upstream-process.js'), options.record, '2025'),
  fresh: program(here('upstream-process.js'), options.record, '2026'),
  rough: program(
    '--import',
    import.meta.resolve('tsx'),
    here('hostile-process.ts'),
    String(options.seed),
    options.record,
  ),
  ...Object.fromEntries(options.hostile.map((url, index) => [`hostile-${index}`, { url }])),
}
const gateway = createGateway({
  assent,
  servers,
  upstreamLimits: { shutdown: 300, idle: 5_000, probe: 1_000, handshake: 3_000, messageBytes: 256 * 1_024 },
  clocks: { upstreamAsk: 500, park: 500, lists: 2_000, question: day, hold: 300, state: day, track: 1_000 },
  http: { limits: { sessions: 50, bodyBytes: 256 * 1_024 }, sessionIdle: '5s' },
  news,
})
const metrics = createMetrics({ servers: Object.keys(servers), parked: () => gateway.parked })
metrics.listenToAsks(assent.events)
metrics.listenToGateway(news)

const server = createServer((request, response) => {
  if (!gateway.handle(request, response)) response.writeHead(404).end()
})
// A connection that is closed while a client sends would be counted as a call without an answer.
server.keepAliveTimeout = 60_000
await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))

process.on('message', async (request) => {
  if (request !== 'memory') return
  await metrics.text()
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ rss, heapUsed })
})
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port })
