import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway } from '../../../../src/gateway/index.ts'
import { createAssent } from '../../../../src/index.ts'
import { keepConnections } from '../../server/keep-connections.ts'

/** A gateway in a process of its own, to be killed. */
const [store = '', url = ''] = process.argv.slice(2)
const assent = await createAssent({ store, policy: { default: 'allow' } as never })
const gateway = createGateway({ assent, servers: { up: { url } } })
const server = createServer(keepConnections, (request, reply) => void gateway.handle(request, reply))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
