import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

import { createAssent } from 'assent'
import { createAssentServer, type HttpServing } from 'assent/server'
import { everythingServer } from './server.ts'

/**
 * npm run example:everything -- --port 3000   serves MCP at http://127.0.0.1:3000/mcp, to clients of 2025 and 2026
 * npm run example:everything -- --stdio       serves one client over standard input and output
 */
const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, stdio: { type: 'boolean', default: false } },
})

if (values.stdio) await serveStdio()
else await serveHttp(Number(values.port))

async function serveStdio(): Promise<void> {
  const { assent, asking } = await open()
  const serving = asking.stdio(() => everythingServer(asking))
  const stop = async () => {
    await serving.close()
    await assent.close()
  }
  // The client is gone, and with it the reason to be here. Standard output is the client's: nothing else goes there.
  process.stdin.once('end', stop)
  stopWith(stop)
}

async function serveHttp(wanted: number): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(wanted, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { assent, asking } = await open(origin)
  const serving: HttpServing = asking.http(({ era }) =>
    everythingServer(asking, era === 'modern' ? serving.notify : undefined),
  )
  server.on('request', serving.node)
  console.log(`Everything is served at ${origin}/mcp`)
  stopWith(async () => {
    await serving.close()
    await new Promise((resolve) => server.close(resolve).closeAllConnections())
    await assent.close()
  })
}

/** In memory, so that the example leaves nothing behind. */
async function open(publicUrl?: string) {
  const assent = await createAssent({ store: 'memory:', ...(publicUrl !== undefined && { publicUrl }) })
  return { assent, asking: createAssentServer(assent, { name: 'Everything' }) }
}

function stopWith(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
}
