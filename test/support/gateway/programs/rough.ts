import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

/** A 2025 server that misbehaves as it is told, and writes each run of a tool into a file. */
const [, , journal = ''] = process.argv
const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })
const ran = (what: string) => appendFileSync(journal, `${what} ${process.pid}\n`)
const server = new McpServer({ name: 'rough', version: '1.0.0' })
server.registerTool('ok', {}, async () => {
  ran('ok')
  return say('ok')
})
server.registerTool('hang', {}, async () => {
  ran('hang')
  return new Promise<never>(() => {})
})
server.registerTool('flood', {}, async () => {
  ran('flood')
  for (let n = 0; n < 5_000; n++) {
    process.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n')
  }
  return say('flooded')
})
server.registerTool('rubbish', {}, async () => {
  ran('rubbish')
  process.stdout.write(`not json\n{"jsonrpc":"2.0","id":999,"result":{}}\n[]\n${'z'.repeat(100_000)}\n`)
  return say('rubbish')
})
await server.connect(new StdioServerTransport())
