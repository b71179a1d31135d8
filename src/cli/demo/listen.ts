import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on loopback, on a port that the system chose. */
export interface Served {
  readonly origin: string
  close(): Promise<void>
}

/** Starts one. `listenerAt` gets the address, which is known only after listening. */
export async function serveHere(listenerAt: (origin: string) => RequestListener): Promise<Served> {
  let listener: RequestListener = (_, response) => response.writeHead(503).end()
  const server = createServer((request, response) => listener(request, response))
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  listener = listenerAt(origin)
  return {
    origin,
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}
