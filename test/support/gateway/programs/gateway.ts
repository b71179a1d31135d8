import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, type GatewayOptions } from '../../../../src/gateway/index.ts'
import { createAssent } from '../../../../src/index.ts'
import { keepConnections } from '../../server/keep-connections.ts'

/** A gateway in a process of its own: the upstreams and the store are told as JSON. Answers with its port, then with its memory. */
interface Told {
  readonly upstreams: GatewayOptions['servers']
  readonly store?: string
  readonly keys?: string
}

const issuer = 'https://login.example.com'
const login = {
  issuer,
  audience: 'http://127.0.0.1/mcp',
  byToken: async (token: string) => ({
    participant: `${token.split('/')[0]}@${issuer}` as never,
    groups: [],
    client: token.split('/')[1] ?? 'laptop',
    scopes: [],
  }),
}

const { upstreams, store = 'memory:', keys } = JSON.parse(process.argv[2] ?? '{}') as Told
const assent = await createAssent({
  store,
  ...(keys !== undefined && { keys }),
  policy: { default: 'allow', fallback: 'inbox' },
} as never)
const gateway = createGateway({
  assent: { ...assent, login },
  servers: upstreams as GatewayOptions['servers'],
  upstreamLimits: { sessions: 3_000 },
  clocks: { upstreamAsk: '10m', park: '10m' },
})
const server = createServer(keepConnections, (request, response) => {
  if (!gateway.handle(request, response)) response.writeHead(404).end()
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', async () => {
  for (let n = 0; n < 4; n++) {
    global.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  process.send?.({ ...process.memoryUsage(), parked: gateway.parked, sessions: gateway.sessions })
})
// Whoever started us is gone.
process.on('disconnect', () => process.exit())
