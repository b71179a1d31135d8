import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

/** A server that does not start without somebody's key, and says whose process it is. */
const { NOTES_KEY } = process.env
if (NOTES_KEY === undefined) process.exit(1)
const whose = () => ({
  content: [{ type: 'text' as const, text: JSON.stringify({ key: NOTES_KEY, pid: process.pid }) }],
})
if (process.argv[2] === '2025') {
  const server = new OldServer({ name: 'keyed', version: '1.0.0' })
  server.registerTool('whose', {}, async () => whose())
  await server.connect(new StdioServerTransport())
} else {
  serveStdio(() => {
    const server = new McpServer({ name: 'keyed', version: '1.0.0' })
    server.registerTool('whose', {}, whose)
    return server
  })
}
