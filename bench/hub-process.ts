import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { createAssent } from '../src/assent.ts'
import { createHub } from '../src/hub/hub.ts'

/** A hub, or a bare relay that parses JSON and sends to the one whom the envelope names. */
const [, , kind = 'hub', count = '0', path = ''] = process.argv
const server = createServer((_, response) => response.writeHead(404).end())

if (kind === 'hub') {
  const assent = await createAssent({ store: `sqlite:${path}` })
  const participants = Object.fromEntries(
    Array.from({ length: Number(count) }, (_, index) => [
      `p-${index}`,
      { kind: 'robot', token: `token-${index}`, may: ['*'] } as const,
    ]),
  )
  const limits = { envelopesPerSecond: 1_000_000, burst: 1_000_000 }
  const hub = await createHub({ assent, spaces: { ops: { participants } }, limits })
  server.on('upgrade', (request, socket, head) => hub.upgrade(request, socket, head))
} else {
  const sockets = new Map<string, WebSocket>()
  const relay = new WebSocketServer({ server, perMessageDeflate: false })
  relay.on('connection', (socket, request) => {
    const index = request.headers.authorization?.slice('Bearer token-'.length)
    sockets.set(`p-${index}`, socket)
    socket.on('message', (data: Buffer) => {
      const { to } = JSON.parse(data.toString()) as { to: string[] }
      for (const id of to) sockets.get(id)?.send(data, { binary: false })
    })
  })
}

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
