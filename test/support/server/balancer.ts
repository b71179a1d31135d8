import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { keepConnections } from './keep-connections.ts'

/** A balancer without stickiness: it sends every request to another instance than the one before. */
export interface Balancer {
  readonly url: URL
  /** Where each request went, by its place in the list of instances, with its HTTP method and MCP method. */
  readonly sent: { readonly at: number; readonly what: string }[]
  /** The next request goes to the instance at this place. */
  next(place: number): void
  /** Sends nothing to this instance any more. */
  drop(place: number): void
}

/** Starts one. It ends with the test. */
export async function startBalancer(instances: readonly URL[]): Promise<Balancer> {
  const sent: { at: number; what: string }[] = []
  const dropped = new Set<number>()
  let turn = 0
  const server = createServer(keepConnections, async (request, response) => {
    const body = await bodyOf(request)
    while (dropped.has(turn % instances.length)) turn += 1
    const at = turn % instances.length
    turn += 1
    sent.push({ at, what: `${request.method} ${methodIn(body)}` })
    const { host, hostname, port } = instances[at] as URL
    const headers = { ...request.headers, host, 'content-length': String(body.length) }
    const passed = send({ hostname, port, method: request.method, path: request.url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      response.flushHeaders()
      reply.on('error', () => response.destroy())
      reply.pipe(response)
    })
    passed.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => passed.destroy())
    passed.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    sent,
    next(place) {
      turn = place
    },
    drop: (place) => void dropped.add(place),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function methodIn(body: Buffer): string {
  if (body.length === 0) return ''
  const { method, id } = JSON.parse(body.toString()) as { method?: string; id?: unknown }
  return method ?? `answer ${typeof id}`
}
