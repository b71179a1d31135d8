import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A balancer without stickiness, as far as a soak needs one: each request goes to the next instance that takes connections. */
export interface SoakBalancer {
  readonly url: URL
  /** How many requests went to each instance. */
  readonly sent: readonly number[]
  close(): void
}

/** Starts one in front of these addresses, some of which may take no connections for a while. */
export async function startBalancer(instances: readonly URL[]): Promise<SoakBalancer> {
  const sent = instances.map(() => 0)
  const agent = new Agent({ keepAlive: false })
  let turn = 0

  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await bodyOf(request).catch(() => undefined)
    if (body === undefined) return
    /** What could not be sent goes to the next one. What may have reached an instance is never sent again. */
    function pass(tries: number): void {
      const at = turn++ % instances.length
      const { host, hostname, port } = instances[at] as URL
      const headers = { ...request.headers, host, connection: 'close', 'content-length': String(body?.length ?? 0) }
      const passed = send({ agent, hostname, port, method: request.method, path: request.url, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 502, { ...reply.headers, connection: 'keep-alive' })
        response.flushHeaders()
        reply.on('error', () => response.destroy()).on('aborted', () => response.destroy())
        reply.pipe(response)
      })
      passed.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && tries > 1) pass(tries - 1)
        else if (error.code === 'ECONNREFUSED') response.writeHead(503).end()
        else response.destroy()
      })
      response.on('close', () => passed.destroy())
      sent[at] = (sent[at] as number) + 1
      passed.end(body)
    }
    pass(instances.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    sent,
    close: () => void server.close().closeAllConnections(),
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
