import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

interface Proxy {
  readonly url: string
  /** Keeps every connection open, but passes no more data. */
  fallSilent(): void
  speakToNewOnes(): void
  stop(): Promise<void>
}

/** A proxy between a store and the server, for failures that a server cannot be made to have. */
export async function startProxy(target: string): Promise<Proxy> {
  const url = new URL(target)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(url.port), url.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}).on('close', () => to.destroy())
      from.on('data', (data) => !isSilent && !silenced.has(from) && to.write(data))
    }
  }).listen(0, '127.0.0.1')
  const silenced = new Set<Socket>()
  await once(server, 'listening')
  const stop = async () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(stop)
  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: (server.address() as AddressInfo).port }).href,
    fallSilent() {
      isSilent = true
    },
    speakToNewOnes() {
      for (const socket of sockets) silenced.add(socket)
      isSilent = false
    },
    stop,
  }
}
