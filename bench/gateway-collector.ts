import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A collector of OpenTelemetry that takes everything and keeps nothing. */
export async function startCollector(): Promise<{ readonly endpoint: string; stop(): void }> {
  const server = createServer((request, reply) => {
    request.resume().once('end', () => reply.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.close().closeAllConnections() }
}
