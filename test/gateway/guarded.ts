import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { onTestFinished } from 'vitest'
import { keepConnections } from '../support/server/keep-connections.ts'

/** What somebody is told who is not let through. */
export interface NotLetIn {
  readonly status: 401 | 403
  readonly challenge: string
}

type Judged = NotLetIn | undefined

/** In front of an upstream: lets through whom `judge` lets, and writes down what every request brought in this header. */
export async function guarded(
  inner: URL,
  header: string,
  judge: (brought: string | undefined, body: string) => Judged | Promise<Judged>,
): Promise<{ readonly url: URL; readonly seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = []
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const brought = request.headers[header] as string | undefined
    seen.push(brought)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const refused = await judge(brought, body.toString())
    if (refused !== undefined)
      return void response.writeHead(refused.status, { 'www-authenticate': refused.challenge }).end()
    const answer = await fetch(inner, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
      ) as Record<string, string>,
      ...(body.length > 0 && { body }),
    })
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-encoding')),
    )
    if (answer.body === null) return void response.end()
    await pipeline(answer.body, response)
  }
  // Whoever it asks, and either side, may be gone at the end of a test.
  const server = createServer(
    keepConnections,
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return { seen, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`) }
}
