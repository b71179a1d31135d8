import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as a fake gets it. */
export interface Arrived {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Answer {
  readonly status?: number
  readonly type?: string
  readonly body?: unknown
}

export interface FakeServer {
  readonly url: string
  readonly arrived: readonly Arrived[]
}

/** A server on loopback that answers as it is told, and remembers what it was asked. */
export async function fakeServer(answer: (arrived: Arrived, url: string) => Answer): Promise<FakeServer> {
  const arrived: Arrived[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const one = {
      method: request.method ?? '',
      url: new URL(request.url ?? '/', url),
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    arrived.push(one)
    const { status = 200, type = 'application/json', body = {} } = answer(one, url)
    response.writeHead(status, { 'Content-Type': type })
    response.end(status === 204 ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, arrived }
}
