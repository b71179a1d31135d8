import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, Pool } from 'undici'

const [port] = process.argv.slice(2)
const upstreamUrl = `http://127.0.0.1:${port}`

/** The lower bound of a proxy: passes the bytes of each request on, and those of its response back. */
function bareProxy(): RequestListener {
  const pool = new Pool(upstreamUrl, { headersTimeout: 0, bodyTimeout: 0 })
  const passed = (name: string) => !/^(host|connection|keep-alive|transfer-encoding|content-length)$/.test(name)
  return (request, reply) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const headers: string[] = []
      for (let at = 0; at < request.rawHeaders.length; at += 2) {
        const name = request.rawHeaders[at] as string
        if (passed(name.toLowerCase())) headers.push(name, request.rawHeaders[at + 1] as string)
      }
      const body = Buffer.concat(chunks)
      const method = request.method as Dispatcher.HttpMethod
      pool.dispatch({ method, path: '/mcp', headers, body }, new PassedOn(reply))
    })
  }
}

class PassedOn implements Dispatcher.DispatchHandler {
  readonly #reply: ServerResponse

  constructor(reply: ServerResponse) {
    this.#reply = reply
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#reply.on('close', () => {
      if (!this.#reply.writableFinished) controller.abort(new Error('the client disconnected'))
    })
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    const { connection: _connection, 'keep-alive': _keepAlive, 'transfer-encoding': _encoding, ...kept } = headers
    this.#reply.writeHead(status, kept)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#reply.write(chunk)
  }

  onResponseEnd(): void {
    this.#reply.end()
  }

  onResponseError(): void {
    this.#reply.destroy()
  }
}

const server = createServer({ keepAliveTimeout: 600_000 }, bareProxy())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())
