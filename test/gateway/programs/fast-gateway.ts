import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../../src/base/clock.ts'
import {
  createGateway,
  defaultGatewayClocks,
  defaultGatewayLimits,
  defaultUpstreamLimits,
  openUpstream,
  ProcessSlots,
} from '../../../src/gateway/index.ts'
import { createAssent } from '../../../src/index.ts'

/** A gateway in a process of its own, to be killed. */
const [store = '', url = ''] = process.argv.slice(2)
const assent = await createAssent({ store, policy: { default: 'allow' } as never })
const upstreamContext = {
  clock: systemClock,
  self: { name: 'assent', version: '0' },
  limits: defaultUpstreamLimits,
  slots: new ProcessSlots(8),
}
const gateway = createGateway({
  assent,
  servers: [{ id: 'up', upstream: openUpstream({ name: 'up', url: new URL(url) }, upstreamContext), trusted: false }],
  name: 'assent',
  version: '0',
  clocks: defaultGatewayClocks,
  limits: defaultGatewayLimits,
  elicitation: true,
  asking: { question: 600_000, hold: 45_000, state: 900_000, track: 300_000 },
})
const server = createServer((request, reply) => void gateway.handle(request, reply))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
