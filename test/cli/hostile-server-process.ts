import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const evil = '\x1b[2J\x1b]0;pwned\x07\u202eevil\x9b31m'

process.stderr.write(`${evil} in the log\n`)
serveStdio(() => {
  const server = new McpServer({ name: evil, version: '1.0.0' })
  const inputSchema = fromJsonSchema({ type: 'object', properties: { [evil]: { type: 'string' } } })
  server.registerTool('say', { title: evil, description: evil, inputSchema }, async () => ({
    content: [
      { type: 'text', text: evil },
      { type: 'image', mimeType: `image/${evil}`, data: 'AAAA' },
      { type: 'resource_link', name: evil, uri: `x:${evil}` },
      { type: 'resource', resource: { uri: `x:${evil}`, text: evil } },
    ],
    structuredContent: { [evil]: evil },
  }))
  server.registerTool('fail', {}, async () => ({ isError: true, content: [{ type: 'text', text: evil }] }))
  server.registerTool('slow', {}, async () => {
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
    return { content: [] }
  })
  return server
})
