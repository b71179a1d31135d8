import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { addNewTools } from '../new-tools.ts'
import { addOldTools } from '../old-tools.ts'

const shared = { done: new Set<string>(), runs: [] }
if (process.argv[2] === '2025') {
  const server = new OldServer({ name: 'old', version: '1.0.0' })
  addOldTools(server, shared)
  await server.connect(new StdioServerTransport())
} else {
  serveStdio(() => {
    const server = new McpServer({ name: 'new', version: '1.0.0' })
    addNewTools(server, shared)
    return server
  })
}
