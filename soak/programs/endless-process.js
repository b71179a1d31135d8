// A stdio server of 2025-11-25 whose tool answers with a line that never ends.
import { createInterface } from 'node:readline'

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'endless', version: '1' },
  },
  ping: {},
  'tools/list': { tools: [{ name: 'line', inputSchema: { type: 'object' } }] },
}
const part = '{},'.repeat(20_000)

function writeWithoutEnd() {
  while (process.stdout.write(part));
  process.stdout.once('drain', writeWithoutEnd)
}

// Its reader may end it while it writes.
process.stdout.on('error', () => process.exit())
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'tools/call') writeWithoutEnd()
  else
    write(
      results[method] ? { id, result: results[method] } : { id, error: { code: -32601, message: 'No such method' } },
    )
})
