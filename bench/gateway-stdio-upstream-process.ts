import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const text = { inputSchema: z.object({ text: z.string() }) }
const say = (said: string) => ({ content: [{ type: 'text' as const, text: said }] })
/** A result of 64 KB. */
const long = 'x'.repeat(65_536)

/** The upstream on a pipe, for gateways that start their servers. */
const server = new McpServer({ name: 'bench', version: '1.0.0' })
server.registerTool('echo', text, ({ text }) => say(text))
server.registerTool('large', text, () => say(long))
await server.connect(new StdioServerTransport())
