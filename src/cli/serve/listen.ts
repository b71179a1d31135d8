import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BadArgument } from '../../base/errors.ts'
import type { Config } from '../config/config.ts'
import { sendJson } from './health.ts'

/** A port that is ours. */
export interface Listening {
  readonly port: number
  serve(by: RequestListener): void
  /** Takes no new request; what is being answered is answered, within reason. */
  finish(): Promise<void>
  /** At once, whatever is going on. */
  close(): void
}

const patienceMs = 5_000

/** Takes the port first, so that nothing is opened for one that is taken; who comes meanwhile is told to wait. */
export async function listen({ host, port }: Config['listen']): Promise<Listening> {
  let by: RequestListener = (_, response) => sendJson({ status: 503, body: { error: 'Starting.' } }, response)
  const server = createServer((request, response) => by(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is taken; choose another with --port' : `cannot be used on ${host}`
      reject(new BadArgument(`Port ${port} ${reason}.`, { cause: error }))
    })
    server.listen(port, host.replace(/^\[|\]$/g, ''), resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(listener) {
      by = listener
    },
    finish: () => finished(server),
    close: () => server.close().closeAllConnections(),
  }
}

async function finished(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  // Those that were answered meanwhile are kept open by their clients.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const impatient = setTimeout(() => server.closeAllConnections(), patienceMs)
  await closed
  clearInterval(sweep)
  clearTimeout(impatient)
}
