import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEvents } from '../src/base/events.ts'
import type { GatewayNews } from '../src/call/news.ts'
import { createGateway } from '../src/gateway/gateway.ts'
import { createAssent } from '../src/index.ts'
import { createMetrics } from '../src/observe/metrics.ts'

/** What the process is told when it is started. */
export interface GatewayTold {
  readonly store: string
  readonly port: number
  readonly record: string
  readonly hostile: readonly string[]
  readonly seed: number
}

/** However long it takes, nothing that is open runs out meanwhile. */
const day = 86_400_000
const told = JSON.parse(process.argv[2] as string) as GatewayTold
const assent = await createAssent({
  store: told.store,
  policy: { default: 'allow', fallback: 'inbox', rules: [{ tool: 'careful', decide: 'ask' }] },
  clocks: { tidy: '5s', question: '1d', unspentYes: '1d' },
  limits: { openPerRequester: 10_000 },
})
const news = createEvents<GatewayNews>()
const here = (file: string) => new URL(file, import.meta.url).pathname
const program = (...args: string[]) => ({ command: process.execPath, args })
const servers = {
  good: program(here('upstream-process.js'), told.record, '2025'),
  fresh: program(here('upstream-process.js'), told.record, '2026'),
  rough: program('--import', import.meta.resolve('tsx'), here('hostile-process.ts'), String(told.seed), told.record),
  ...Object.fromEntries(told.hostile.map((url, index) => [`hostile-${index}`, { url }])),
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
// One that is hung up on while it sends would be taken for one that heard nothing.
server.keepAliveTimeout = 60_000
await new Promise<void>((resolve) => server.listen(told.port, '127.0.0.1', resolve))

process.on('message', async (wish) => {
  if (wish !== 'memory') return
  await metrics.text()
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ rss, heapUsed })
})
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port })
