import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAssent } from '../src/index.ts'
import { createAssentServer } from '../src/server/index.ts'
import { createWeb } from '../src/web/index.ts'
import { serveByHand } from './hand-written.ts'
import { info, message, say, text } from './key-tool.ts'

/** The port of a process, and the cookie of the browser that it knows. */
export interface Place {
  readonly port: number
  readonly cookie: string
}

async function serveByAssent(store: string): Promise<Place> {
  // Connections stay open while other contenders are measured.
  const server = createServer({ keepAliveTimeout: 600_000 })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const assent = await createAssent({ store, publicUrl: `http://127.0.0.1:${port}` })
  const asking = createAssentServer(assent, { name: info.name, urlBy: 'error' })
  const mcp = asking.http(() => {
    const served = asking.server(info)
    const key = asking.tool(async (_: { text: string }, ask) => say(await ask.secret(message)))
    served.registerTool('key', text, key)
    return served
  })
  const limits = { perAddressPerMinute: 1_000_000_000, perPersonPerMinute: 1_000_000_000 }
  const web = createWeb(assent, { limits, onError: console.error })
  server.on('request', (request, reply) => (request.url?.startsWith('/mcp') ? mcp : web).node(request, reply))

  const enrolling = new Request(await web.enrollLink(), { method: 'POST', body: new URLSearchParams() })
  const [cookie = ''] = (await web.fetch(enrolling)).headers.getSetCookie()
  return { port, cookie: cookie.split(';')[0] as string }
}

const [, , store] = process.argv
process.send?.(store === undefined ? await serveByHand() : await serveByAssent(store))
process.on('message', () => {
  global.gc?.()
  process.send?.(process.cpuUsage())
})
process.on('disconnect', () => process.exit())
