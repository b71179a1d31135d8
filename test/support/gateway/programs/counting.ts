import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

// A server of 2025 that counts its calls, so that it shows how many processes there are of it.
let calls = 0
const server = new McpServer({ name: 'counting', version: '1.0.0' })
server.registerTool('count', {}, () => {
  calls += 1
  return { content: [{ type: 'text', text: `${calls}` }] }
})
await server.connect(new StdioServerTransport())
