// A program of 2025-11-25 that writes down each run before it does it, so that nobody can run twice unseen.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , record = ''] = process.argv
appendFileSync(record, `pid ${process.pid}\n`)

const id = { type: 'string' }
const inputSchema = { type: 'object', properties: { id, ms: { type: 'number' } }, required: ['id'] }
const results = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'soak', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: ['run', 'careful'].map((name) => ({ name, inputSchema })) }),
  async 'tools/call'({ arguments: given = {} }) {
    appendFileSync(record, `run ${given.id}\n`)
    await new Promise((resolve) => setTimeout(resolve, Number(given.ms) || 0))
    return { content: [{ type: 'text', text: `ran ${given.id}` }] }
  },
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = await results[method]?.(params ?? {})
  const answer = result === undefined ? { error: { code: -32601, message: 'No such method' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
})
