import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Random } from '../random.ts'
import { brokenMessage, brokenResponse, handshakeResult } from './upstream-messages.ts'

/** An upstream over HTTP that completes the handshake and then sends broken messages. */
export interface HostileServer {
  readonly url: string
  /** How many broken messages were sent. */
  readonly sent: number
  close(): void
}

export async function hostileServer(isNew: boolean, random: Random): Promise<HostileServer> {
  let sent = 0
  const aside = (id: string | number) => {
    sent += 1
    return brokenMessage(id, random)
  }
  const end = (id: string | number) => {
    sent += 1
    return brokenResponse(id, random)
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method } = JSON.parse(await text(request))
    if (id === undefined) return void response.writeHead(202).end()
    if (method !== 'tools/call') {
      const result = handshakeResult(method, isNew)
      const answer = result === undefined ? { error: { code: -32_601, message: 'No such method' } } : { result }
      const body =
        random.oneIn(30) && method === 'tools/list' ? end(id) : JSON.stringify({ jsonrpc: '2.0', id, ...answer })
      response.writeHead(200, { 'Content-Type': 'application/json', ...(!isNew && { 'Mcp-Session-Id': 'hostile' }) })
      return void response.end(body)
    }
    switch (random.below(8)) {
      case 0:
        return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(end(id))
      case 1: {
        const status = random.pick([204, 301, 302, 400, 401, 403, 404, 405, 410, 429, 500, 503])
        response.writeHead(status, {
          Location: 'http://127.0.0.1:1/',
          'WWW-Authenticate': 'Bearer realm="\\", scope=,',
        })
        return void response.end(end(id))
      }
      case 2:
        return void response.writeHead(200, { 'Content-Type': random.pick(['text/html', 'x', '']) }).end(end(id))
      default:
        return stream(id, response)
    }
  }

  function stream(id: string | number, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (let asides = random.below(20); asides > 0; asides--) {
      response.write(`${random.pick(['data: ', 'data:', 'id: 1\ndata: ', 'event: x\ndata: ', ''])}${aside(id)}\n\n`)
    }
    if (random.oneIn(6)) return void response.destroy()
    response.end(`data: ${end(id)}\n\n`)
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get sent() {
      return sent
    },
    close: () => void server.close().closeAllConnections(),
  }
}
