import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'tools', version: '1.0.0' })
const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
server.registerTool('read_log', { inputSchema: {} }, () => text('All is well.'))
server.registerTool('deploy', { inputSchema: { env: z.string() } }, async ({ env }) => {
  const { action, content } = await server.server.elicitInput({
    message: 'Which change ticket?',
    requestedSchema: { type: 'object', properties: { ticket: { type: 'string' } }, required: ['ticket'] },
  })
  return text(action === 'accept' ? `Deployed ${content?.ticket} to ${env}` : 'Not deployed')
})
await server.connect(new StdioServerTransport())
