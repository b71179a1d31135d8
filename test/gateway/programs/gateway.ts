import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../../src/base/clock.ts'
import { createGateway } from '../../../src/gateway/gateway.ts'
import { defaultGatewayClocks, defaultGatewayLimits } from '../../../src/gateway/options.ts'
import { openUpstream } from '../../../src/gateway/upstream/open.ts'
import { defaultUpstreamLimits, type UpstreamSettings } from '../../../src/gateway/upstream/options.ts'
import { ProcessSlots } from '../../../src/gateway/upstream/stdio/process-slots.ts'
import { createAssent } from '../../../src/index.ts'

/** A gateway in a process of its own: the upstreams and the store are told as JSON. Answers with its port, then with its memory. */
interface Told {
  readonly upstreams: Record<string, Omit<UpstreamSettings, 'name'> & { url?: string }>
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
const upstreamContext = {
  clock: systemClock,
  self: { name: 'assent', version: '0' },
  limits: { ...defaultUpstreamLimits, sessions: 3_000 },
  slots: new ProcessSlots(64),
}
const gateway = createGateway({
  assent: { ...assent, login },
  servers: Object.entries(upstreams).map(([id, { url, ...settings }]) => ({
    id,
    trusted: false,
    upstream: openUpstream(
      { name: id, ...settings, ...(url !== undefined && { url: new URL(url) }) } as UpstreamSettings,
      upstreamContext,
    ),
  })),
  name: 'assent',
  version: '0',
  clocks: { ...defaultGatewayClocks, upstreamAsk: 600_000, park: 600_000 },
  limits: defaultGatewayLimits,
  elicitation: true,
  asking: { question: 600_000, hold: 45_000, state: 900_000, track: 300_000 },
})
const server = createServer((request, response) => {
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
