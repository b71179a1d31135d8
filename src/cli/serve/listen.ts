import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { BadArgument } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import { sendReply } from './reply.ts'

/** A port that this process listens on. */
export interface Listening {
  readonly port: number
  serve(by: RequestListener): void
  /** Takes connections that want to speak another protocol, such as WebSocket. False: nobody wants this one. */
  upgrade(by: Upgrade): void
  /** Takes no new requests, and waits for those under way, for five seconds at most. */
  finish(): Promise<void>
  /** Ends every connection at once. */
  close(): void
}

/** Takes a connection; false: its address is nobody's. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean

const patienceMs = 5_000

/**
 * Listens before anything else is opened, so that a port in use leaves nothing behind. Requests get a 503 until `serve`
 * is called. `setting` is where the port can be changed.
 */
export async function listen({ host, port }: Config['listen'], bodyMs: number, setting = '--port'): Promise<Listening> {
  let by: RequestListener = (request, response) =>
    sendReply({ status: 503, body: { error: 'Assent is starting. Try again in a moment.' } }, request, response)
  const server = createServer(arrivalLimits(bodyMs), (request, response) => by(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be used on ${host}`
      reject(new BadArgument(`Port ${port} ${reason}; choose another with ${setting}.`, { cause: error }))
    })
    server.listen({ port, host: host.replace(/^\[|\]$/g, ''), backlog: mostUnaccepted }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(listener) {
      by = listener
    },
    upgrade(taker) {
      server.on('upgrade', (request, socket, head) => {
        if (!taker(request, socket, head)) socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
      })
    },
    finish: () => finished(server),
    close: () => server.close().closeAllConnections(),
  }
}

/**
 * A request that takes longer to arrive is ended, on any path: it holds memory and a connection. A connection stays open longer
 * than balancers and clients keep theirs, or they would send a call on one that is just being closed, and not know whether it ran.
 */
export function arrivalLimits(bodyMs: number): ServerOptions {
  const requestTimeout = Math.max(bodyMs, leastMs)
  return {
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, longestHeadMs),
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 5_000,
  }
}

const leastMs = 1_000
const longestHeadMs = 60_000
const idleMs = 75_000
/** Connections that wait for this process; the system may allow fewer. Of more at once it drops some, and their clients wait a second or are reset. */
const mostUnaccepted = 4_096

async function finished(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  // Clients keep connections open after their last answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const impatient = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(impatient)
}
