import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { initialize, type Message } from '../support/server/everything-on-wire.ts'

const main = fileURLToPath(new URL('../../examples/everything/main.ts', import.meta.url))
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'pipe', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

test('every line is one message, whatever a tool says, and nothing else is on the pipe (T26-01)', async () => {
  const pipe = startPipe()
  for (const name of ['test_multiple_content_types', 'test_error_handling', 'json_schema_2020_12_tool', 'no_such']) {
    await pipe.call(name, { phone: 'a\nb\r\n\u2028c' })
  }
  await pipe.end()

  expect(pipe.lines.length).toBeGreaterThanOrEqual(4)
  for (const line of pipe.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
})

test('a 2026 client is asked by results: no request is ever on the pipe (T26-02, E26-02)', async () => {
  const pipe = startPipe()
  const asked = await pipe.call('test_input_required_result_elicitation')
  expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: { user_name: {} } })

  const answered = await pipe.call('test_input_required_result_elicitation', {}, retryOf(asked, { name: 'Ada' }))
  expect(textOf(answered)).toBe('Hello, Ada!')
  expect(pipe.heard.filter(({ method }) => method !== undefined)).toEqual([])
})

test('two walks on one pipe stay apart, whichever goes on first (T26-05)', async () => {
  const pipe = startPipe()
  const tool = 'test_input_required_result_multi_round'
  const start = () => pipe.call(tool)
  const [one, other] = await Promise.all([start(), start()])

  const [ada, bob] = await Promise.all([
    pipe.call(tool, {}, retryOf(one, { name: 'Ada' })),
    pipe.call(tool, {}, retryOf(other, { name: 'Bob' })),
  ])
  const ends = await Promise.all([
    pipe.call(tool, {}, retryOf(bob, { color: 'blue' })),
    pipe.call(tool, {}, retryOf(ada, { color: 'red' })),
  ])
  expect(ends.map(textOf).map((text) => text.replace(/^Order \d: /, ''))).toEqual([
    'a blue jersey for Bob',
    'a red jersey for Ada',
  ])
})

test('a 2025 client is asked in the middle of its call (T26-01)', async () => {
  const pipe = startPipe()
  await pipe.send({ ...initialize('2025-11-25', { elicitation: {} }), id: 'hello' })
  await pipe.tell({ method: 'notifications/initialized' })
  const calling = pipe.send({
    id: 'call',
    method: 'tools/call',
    params: { name: 'test_input_required_result_elicitation', arguments: {} },
  })
  const ask = await pipe.asked()
  expect(ask.params).toMatchObject({ message: 'What is your name?' })
  await pipe.tell({ id: ask.id ?? null, result: { action: 'accept', content: { name: 'Ada' } } })

  expect(textOf(await calling)).toBe('Hello, Ada!')
})

test('who holds the pipe is the local person: no token is asked for or taken (O-09)', async () => {
  const pipe = startPipe()
  const answer = await pipe.call('test_simple_text', {}, { _meta: { ...modern, authorization: 'Bearer of-someone' } })
  expect(textOf(answer)).toBe('This is a simple text response for testing.')
})

interface Pipe {
  readonly lines: readonly string[]
  readonly heard: readonly Message[]
  /** A request, and its answer. */
  send(message: Message): Promise<Message>
  /** A message that has no answer. */
  tell(message: Message): Promise<void>
  /** A tool call as 2026-07-28 says it. */
  call(name: string, args?: object, more?: object): Promise<Message>
  /** The next request of the server's own. */
  asked(): Promise<Message>
  /** Closes the pipe, and waits for the process to end. */
  end(): Promise<void>
}

function startPipe(): Pipe {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--import', 'tsx', main, '--stdio'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const heard: Message[] = []
  const waiting = new Map<unknown, (message: Message) => void>()
  createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    lines.push(line)
    const message: Message = JSON.parse(line)
    heard.push(message)
    waiting.get(message.method === undefined ? message.id : 'asked')?.(message)
  })
  let ids = 0
  const write = (message: Message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const send = (message: Message) =>
    new Promise<Message>((resolve) => {
      waiting.set(message.id, resolve)
      write(message)
    })
  return {
    lines,
    heard,
    send,
    tell: async (message) => void write(message),
    call: (name, args = {}, more = {}) =>
      send({ id: ++ids, method: 'tools/call', params: { name, arguments: args, _meta: modern, ...more } }),
    asked: () => new Promise((resolve) => waiting.set('asked', resolve)),
    async end() {
      const gone = once(child, 'exit')
      child.stdin.end()
      await gone
    },
  }
}

function retryOf({ result }: Message, content: object): object {
  const keys = Object.keys((result?.inputRequests as object | undefined) ?? {})
  const inputResponses = Object.fromEntries(keys.map((key) => [key, { action: 'accept', content }]))
  return { inputResponses, requestState: result?.requestState }
}

function textOf({ result }: Message): string {
  return (result?.content as { text: string }[] | undefined)?.[0]?.text ?? ''
}
