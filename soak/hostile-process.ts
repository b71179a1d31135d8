// A program that greets well and then writes broken lines, a line for each broken message.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { brokenAside, brokenEnd, greeting } from './garbage.ts'
import { seeded } from './random.ts'

const [, , seed = '0', record = ''] = process.argv
const random = seeded(Number(seed) + process.pid)
const write = (line: string) => void process.stdout.write(`${line}\n`)

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  if (method !== 'tools/call') {
    const result = greeting(method, false)
    const answer = result === undefined ? { error: { code: -32_601, message: 'No such method' } } : { result }
    return write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  }
  const asides = random.below(20)
  for (let left = asides; left > 0; left--) write(brokenAside(id, random).replaceAll('\n', ' '))
  write(brokenEnd(id, random).replaceAll('\n', ' '))
  appendFileSync(record, `rubbish ${asides + 1}\n`)
  // What was broken may have been the answer itself, and nobody is to wait for ever.
  write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'enough' } }))
  if (random.oneIn(300)) process.exit(1)
})
