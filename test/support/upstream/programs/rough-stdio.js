import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

// A 2025 server without the SDK. Each of its tools breaks the protocol in another way.
const [, , mood] = process.argv
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const say = (id, text) => write({ id, result: { content: [{ type: 'text', text }] } })
const serverInfo = { name: 'rough', version: '0' }
const seen = []

if (mood === 'dies') process.exit(3)

const rough = {
  crash: () => process.exit(7),
  'crash-after-answer': (id) => {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n`, () => process.exit(0))
  },
  rubbish: (id) => {
    process.stdout.write('this is not JSON\n[1,2]\nnull\n{"jsonrpc":"2.0","id":{},"result":{}}\n\n')
    write({ id: 99_999, result: { content: [] } })
    write({ id: null, error: { code: 1, message: 'lost' } })
    write({ id: String(id), result: { content: [] } })
    say(id, 'first')
    say(id, 'second')
  },
  giant: (id) => write({ result: { content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] }, id }),
  'giant-head': (id) => write({ id, result: { content: [{ type: 'text', text: 'x'.repeat(3_000_000) }] } }),
  flood: (id) => {
    for (let n = 0; n < 5_000; n++) write({ method: 'notifications/tools/list_changed' })
    say(id, 'flooded')
  },
  silent: () => {},
  deaf: (id) => {
    process.stdin.pause()
    setInterval(() => {}, 1_000)
    say(id, 'I am not listening')
  },
  values: (id) => write({ id, result: { content: [], structuredContent: { all: Array(250_000).fill({}) } } }),
  endless: () => {
    const more = () => {
      while (process.stdout.write('x'.repeat(65_536)));
      process.stdout.once('drain', more)
    }
    more()
  },
  seen: (id) => say(id, JSON.stringify(seen)),
  family: (id) => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    say(id, String(child.pid))
  },
  complain: (id) => {
    for (let n = 0; n < 30; n++) process.stderr.write(`complaint ${n}\n`)
    say(id, 'said')
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  seen.push(method)
  if (method === 'server/discover') {
    if (mood === 'dies-of-probe') process.exit(1)
    if (mood === 'silent') return
    return write({ id, error: { code: -32601, message: 'what?' } })
  }
  if (method === 'initialize') {
    const protocolVersion = mood === 'future' ? '2031-01-01' : '2025-06-18'
    const instructions = mood === 'talkative' ? 'x'.repeat(1_100_000) : undefined
    return write({ id, result: { protocolVersion, capabilities: {}, serverInfo, instructions } })
  }
  if (method === 'tools/call') {
    const act = rough[params.name]
    if (act === undefined) say(id, params.name)
    else act(id)
  }
})
if (mood === 'stubborn') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1_000)
}
