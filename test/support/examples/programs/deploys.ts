import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

/** An MCP server that asks nothing. */
const server = new McpServer({ name: 'deploys', version: '1.0.0' })
server.registerTool('deploy', { inputSchema: z.object({ env: z.string() }) }, async ({ env }) => ({
  content: [{ type: 'text', text: `Deployed to ${env}` }],
}))
await server.connect(new StdioServerTransport())
