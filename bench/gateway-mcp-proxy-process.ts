import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { proxyServer, startHTTPServer } from 'mcp-proxy'

const info = { name: 'mcp-proxy', version: '5.12.5' }
const url = new URL(`http://127.0.0.1:${process.argv[2]}/mcp`)

/** A free port, because mcp-proxy does not report the port that it uses. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const port = await freePort()
await startHTTPServer({
  host: '127.0.0.1',
  port,
  async createServer() {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(url) as never)
    const serverCapabilities = client.getServerCapabilities() as { tools: object }
    const server = new Server(info, { capabilities: serverCapabilities })
    await proxyServer({ client: client as never, server: server as never, serverCapabilities })
    return server as never
  },
})
process.send?.(port)
process.on('message', () => {
  global.gc?.()
  process.send?.(process.cpuUsage())
})
process.on('disconnect', () => process.exit())
