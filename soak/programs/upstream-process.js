// A stdio server of 2025-11-25 or 2026-07-28 that records each run before it begins, so that a second run is noticed.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , record = '', era = '2025'] = process.argv
const isNew = era === '2026'
appendFileSync(record, `pid ${process.pid}\n`)

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const say = (text, isError = false) => ({ content: [{ type: 'text', text }], isError })
const properties = { id: { type: 'string' }, ms: { type: 'number' } }
const inputSchema = { type: 'object', properties, required: ['id'] }
const requestedSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
const waiting = new Map()
let asked = 0

async function run({ id, ms }) {
  appendFileSync(record, `run ${id}\n`)
  await new Promise((resolve) => setTimeout(resolve, Number(ms) || 0))
  return say(`ran ${id}`)
}

/** Asks for a word: during the call in 2025, by an `input_required` result in 2026. */
async function runWithWord(given, responses) {
  const question = { mode: 'form', message: `Which word for ${given.id}?`, requestedSchema }
  if (isNew && responses === undefined) {
    return {
      resultType: 'input_required',
      inputRequests: { word: { method: 'elicitation/create', params: question } },
      requestState: `asked about ${given.id}`,
    }
  }
  const answer = isNew ? responses.word : await ask(question)
  return answer?.action === 'accept' ? run(given) : say(`nothing ran for ${given.id}`, true)
}

function ask(params) {
  asked += 1
  const id = `ask ${asked}`
  write({ id, method: 'elicitation/create', params })
  return new Promise((resolve) => waiting.set(id, resolve))
}

const results = {
  ...(isNew
    ? { 'server/discover': () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0 }) }
    : {
        initialize: () => ({
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'soak', version: '1' },
        }),
      }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: ['run', 'careful', 'form'].map((name) => ({ name, inputSchema })),
    ...(isNew && { ttlMs: 1_000, cacheScope: 'public' }),
  }),
  'tools/call': ({ name, arguments: given = {}, inputResponses }) =>
    name === 'form' ? runWithWord(given, inputResponses) : run(given),
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result } = JSON.parse(line)
  if (id === undefined) return
  if (method === undefined) {
    waiting.get(id)?.(result)
    return void waiting.delete(id)
  }
  const came = await results[method]?.(params ?? {})
  if (came === undefined) return write({ id, error: { code: -32601, message: 'No such method' } })
  write({ id, result: isNew ? { resultType: 'complete', ...came } : came })
})
