// A stdio server that completes the handshake and then writes broken messages, one per line.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { brokenMessage, brokenResponse, handshakeResult } from '../broken/upstream-messages.ts'
import { seeded } from '../random.ts'

const [, , seed = '0', record = ''] = process.argv
const random = seeded(Number(seed) + process.pid)
const write = (line: string) => void process.stdout.write(`${line}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  if (method !== 'tools/call') {
    const result = handshakeResult(method, false)
    const answer = result === undefined ? { error: { code: -32_601, message: 'No such method' } } : { result }
    return write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }
  const count = random.below(20)
  for (let left = count; left > 0; left--) write(brokenMessage(id, random).replaceAll('\n', ' '))
  write(brokenResponse(id, random).replaceAll('\n', ' '))
  appendFileSync(record, `broken ${count + 1}\n`)
  // The broken message may have been the response, so a valid one ends the call.
  write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'enough' } }))
  if (random.oneIn(300)) process.exit(1)
})
