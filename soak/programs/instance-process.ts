import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createAssent } from '../../src/index.ts'

/** The options of the process, as JSON in its first argument. */
export interface InstanceProcessOptions {
  readonly store: string
  readonly keys: string
  readonly port: number
  readonly record: string
  /** Addresses of MCP servers over HTTP, by their ids. */
  readonly servers: Readonly<Record<string, string>>
}

/** Long enough that no open question expires during a soak. */
const day = 86_400_000
const options = JSON.parse(process.argv[2] as string) as InstanceProcessOptions
const assent = await createAssent({
  store: options.store,
  keys: options.keys,
  policy: { default: 'allow', fallback: 'inbox', rules: [{ tool: 'careful', decide: 'ask' }] },
  clocks: { tidy: '5s', question: '1d', unspentYes: '1d' },
  limits: { openPerRequester: 100_000, openPerParticipant: 100_000 },
})
const program = new URL('upstream-process.js', import.meta.url).pathname
const gateway = createGateway({
  assent,
  servers: {
    good: { command: process.execPath, args: [program, options.record, '2025'] },
    fresh: { command: process.execPath, args: [program, options.record, '2026'] },
    ...Object.fromEntries(Object.entries(options.servers).map(([id, url]) => [id, { url }])),
  },
  upstreamLimits: { shutdown: 300, probe: 5_000, handshake: 10_000 },
  clocks: { upstreamAsk: 10_000, park: 15_000, question: day, hold: 2_000, state: day },
  http: { limits: { sessions: 1_000 } },
})
const server = createServer((request, response) => {
  if (!gateway.handle(request, response)) response.writeHead(404).end()
})
server.keepAliveTimeout = 60_000
gateway.join()
await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))

process.on('message', (request) => {
  if (request !== 'memory') return
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  process.send?.({ rss, heapUsed, cpuUs: user + system })
})
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port })
