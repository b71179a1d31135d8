import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createAssent, participantId } from '../../src/index.ts'

/** The options of the process, as JSON in its first argument. */
export interface SharedGatewayOptions {
  readonly store: string
  readonly port: number
  readonly record: string
  /** Where an upstream over HTTP sends more than anybody can hold. */
  readonly hungry: string
}

// A gateway that many share, with every limit as it is by default. A token is the name of its person.
const options = JSON.parse(process.argv[2] as string) as SharedGatewayOptions
const issuer = 'https://login.example.com'
const login = {
  issuer,
  audience: 'http://127.0.0.1/mcp',
  byToken: async (subject: string) => ({
    participant: participantId({ issuer, subject }),
    client: 'soak',
    groups: [],
    scopes: [],
  }),
}
const assent = await createAssent({ store: options.store, policy: { default: 'allow', fallback: 'inbox' } })
const here = (file: string) => new URL(file, import.meta.url).pathname
const program = (...args: string[]) => ({ command: process.execPath, args })
const gateway = createGateway({
  assent: { ...assent, login },
  servers: {
    good: program(here('upstream-process.js'), options.record, '2025'),
    fresh: program(here('upstream-process.js'), options.record, '2026'),
    hungry: { url: options.hungry },
    endless: program(here('endless-process.js')),
  },
  // A person may wait for an answer of a server, but a soak should end.
  upstreamLimits: { shutdown: 300, handshake: 10_000 },
})
const server = createServer((request, response) => {
  if (!gateway.handle(request, response)) response.writeHead(404).end()
})
server.keepAliveTimeout = 60_000
await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))

process.on('message', (request) => {
  if (request !== 'memory') return
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ rss, heapUsed })
})
// Exits when the parent process has exited.
process.on('disconnect', () => process.exit())
process.send?.({ port: (server.address() as AddressInfo).port })
