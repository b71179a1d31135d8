import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import * as z3 from 'zod/v3'
import { servePipe } from '../../src/mcp/stdio.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { gated, oldServer } from '../support/gateway/gateways.ts'
import { type RawPipe, rawPipe } from '../support/gateway/pipes.ts'
import { promised, say, until } from '../support/server/servers.ts'

const initialize = {
  id: 'initialize',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: { form: {} } },
    clientInfo: { name: 'raw', version: '1' },
  },
}
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
}

interface Raw extends RawPipe {
  /** A call in the revision of this client. */
  call(id: string | number, name: string, args?: object): object
}

const revisions = {
  async '2025-11-25'(pipe: RawPipe): Promise<Raw> {
    pipe.send(initialize)
    await pipe.answerTo('initialize')
    pipe.send({ method: 'notifications/initialized' })
    const call: Raw['call'] = (id, name, args = {}) => ({ id, method: 'tools/call', params: { name, arguments: args } })
    return { ...pipe, call }
  },
  async '2026-07-28'(pipe: RawPipe): Promise<Raw> {
    const call: Raw['call'] = (id, name, args = {}) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: args, _meta: envelope },
    })
    pipe.send({ id: 'discover', method: 'server/discover', params: { _meta: envelope } })
    await pipe.answerTo('discover')
    return { ...pipe, call }
  },
}

const cancel = (requestId: string | number) => ({ method: 'notifications/cancelled', params: { requestId } })
const textIn = ({ result }: Record<string, unknown>) =>
  (result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text

/** A gateway in front of a 2025 upstream, and what that did. */
async function upstreamBehindGateway() {
  const runs: string[] = []
  const aborted: string[] = []
  const slow = promised()
  const upstream = await oldServer((server) => {
    server.registerTool('echo', { inputSchema: { text: z3.string() } }, async ({ text }) => {
      runs.push('echo')
      return say(text)
    })
    server.registerTool('slow', {}, async ({ signal }) => {
      runs.push('slow')
      const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      await Promise.race([slow.promise, gone])
      if (signal.aborted) aborted.push('slow')
      return say('slow')
    })
    server.registerTool('build', {}, async () => {
      runs.push('build')
      const requestedSchema = { type: 'object' as const, properties: { branch: { type: 'string' as const } } }
      const { content } = await server.server.elicitInput({ message: 'Which?', requestedSchema })
      return say(`built ${content?.branch}`)
    })
  })
  return { ...(await gated({ up: { url: upstream } })), runs, aborted, slow }
}

describe.each(Object.entries(revisions))('on a pipe of %s', (_, begin) => {
  async function start({ firstCall = true } = {}) {
    const gate = await upstreamBehindGateway()
    const raw = await begin(await rawPipe(gate.gateway, 'up'))
    if (firstCall) {
      raw.send(raw.call('first', 'echo', { text: 'first' }))
      expect(textIn(await raw.answerTo('first'))).toBe('first')
      gate.runs.length = 0
    }
    return { ...gate, raw }
  }

  test.each([
    ['the SDK server has', false],
    ['the fast path has', true],
  ])(
    'a request under the id of another that %s is refused, and the other gets its own answer',
    async (_has, isFast) => {
      const { raw, runs, slow } = await start({ firstCall: isFast })
      raw.send(raw.call(7, 'slow'))
      await until(() => runs.length === 1)
      raw.send(raw.call(7, 'echo', { text: 'second' }))
      await until(() => raw.received.some(({ error }) => error !== undefined))
      expect(raw.received.at(-1)).toMatchObject({ id: null, error: { code: -32_600 } })
      slow.keep()
      expect(textIn(await raw.answerTo(7))).toBe('slow')
      expect(runs).toEqual(['slow'])
      // Its answer is there, so the id is free.
      raw.received.length = 0
      raw.send(raw.call(7, 'echo', { text: 'third' }))
      expect(textIn(await raw.answerTo(7))).toBe('third')
    },
  )

  test('two calls of one id that arrive together run once', async () => {
    const { raw, runs } = await start()
    raw.send(raw.call(7, 'echo', { text: 'one' }), raw.call(7, 'echo', { text: 'two' }))
    expect(textIn(await raw.answerTo(7))).toBe('one')
    await until(() => raw.received.some(({ id, error }) => id === null && error !== undefined))
    expect(runs).toEqual(['echo'])
  })

  test.each([
    ['the first call', false],
    ['a later call', true],
  ])('a cancellation that arrives together with %s is not lost', async (_which, isLater) => {
    const { assent, raw, runs, aborted } = await start({ firstCall: isLater })
    raw.send(raw.call(7, 'slow'), cancel(7))
    // Whatever comes after it, the call is over and has no answer.
    raw.send(raw.call(8, 'echo', { text: 'next' }))
    expect(textIn(await raw.answerTo(8))).toBe('next')
    await until(() => runs.filter((run) => run === 'slow').length === aborted.length)
    await expect
      .poll(async () => (await callsIn(assent)).flat().filter((kind) => kind === 'call-started').length)
      .toBe((await callsIn(assent)).flat().filter((kind) => kind.startsWith('call-finished')).length)
    expect(raw.received.some(({ id }) => id === 7)).toBe(false)
    // A cancelled request leaves its id.
    raw.send(raw.call(7, 'echo', { text: 'again' }))
    expect(textIn(await raw.answerTo(7))).toBe('again')
  })

  test('many calls at once get each its own answer', async () => {
    const { raw, runs } = await start()
    const ids = Array.from({ length: 200 }, (_each, index) => index)
    raw.send(...ids.map((id) => raw.call(id, 'echo', { text: `text ${id}` })))
    for (const id of ids) expect(textIn(await raw.answerTo(id))).toBe(`text ${id}`)
    expect(runs).toHaveLength(200)
  })

  test('a client that is gone before the SDK server took its call over leaves an end in the audit', async () => {
    const { assent, raw, runs, aborted } = await start()
    raw.send(raw.call(7, 'slow'))
    await until(() => runs.length === 1)
    await raw.close()
    await until(() => aborted.length === 1)
    await expect.poll(async () => (await callsIn(assent)).at(-1)).toEqual(['call-started', 'call-finished failed'])
  })
})

test('a 2025 pipe answers a call in the words of 2026-07-28 as 2025 does', async () => {
  const { gateway } = await upstreamBehindGateway()
  const raw = await revisions['2025-11-25'](await rawPipe(gateway, 'up'))
  raw.send(raw.call(1, 'echo', { text: 'one' }))
  await raw.answerTo(1)
  const params = { name: 'echo', arguments: { text: 'two' }, _meta: envelope }
  raw.send({ id: 2, method: 'tools/call', params })
  const { result } = await raw.answerTo(2)
  // One key that the fast path does not know, and the SDK server has the call.
  raw.send({ id: 3, method: 'tools/call', params: { ...params, unknown: 1 } })
  expect({ result }).toEqual({ result: (await raw.answerTo(3)).result })
  expect(JSON.stringify(result)).not.toContain('resultType')
})

test('a 2026 pipe refuses a call without the words of 2026-07-28', async () => {
  const { gateway, runs } = await upstreamBehindGateway()
  const raw = await revisions['2026-07-28'](await rawPipe(gateway, 'up'))
  raw.send(raw.call(1, 'echo', { text: 'one' }))
  await raw.answerTo(1)
  raw.send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { text: 'two' } } })
  expect(await raw.answerTo(2)).toMatchObject({ error: { code: -32_602 } })
  expect(runs).toEqual(['echo'])
})

test('a question in mid-call goes over the pipe, and its answer to the call that asked', async () => {
  const { assent, gateway, runs } = await upstreamBehindGateway()
  const raw = await revisions['2025-11-25'](await rawPipe(gateway, 'up'))
  raw.send(raw.call('first', 'echo', { text: 'first' }))
  await raw.answerTo('first')
  raw.send(raw.call(7, 'build'), raw.call(8, 'echo', { text: 'meanwhile' }))
  await until(() => raw.received.some(({ method }) => method === 'elicitation/create'))
  expect(textIn(await raw.answerTo(8))).toBe('meanwhile')
  const asked = raw.received.find(({ method }) => method === 'elicitation/create')
  expect(asked).toMatchObject({ params: { message: '[up] Which?' } })
  raw.send({ id: asked?.id, result: { action: 'accept', content: { branch: 'main' } } })
  expect(textIn(await raw.answerTo(7))).toBe('built main')
  expect(runs).toEqual(['echo', 'build', 'echo'])
  expect((await callsIn(assent)).every((kinds) => kinds.join() === 'call-started,call-finished done')).toBe(true)
})

test('a request on which the fast path fails is answered with an error, and not served a second time', async () => {
  const errors: unknown[] = []
  const served: string[] = []
  const [mine, theirs] = InMemoryTransport.createLinkedPair()
  const factory = () => {
    const server = new McpServer({ name: 'served', version: '1' })
    server.registerTool('work', {}, () => {
      served.push('work')
      return say('worked')
    })
    return server
  }
  const handle = servePipe(factory, {
    transport: theirs,
    fastPath: async ({ body }) => {
      if (body.method !== 'tools/call') return { kind: 'not-handled' }
      throw new Error('broken')
    },
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => handle.close())
  const received: Record<string, unknown>[] = []
  mine.onmessage = (message) => void received.push(message as never)
  await mine.start()
  await mine.send({ jsonrpc: '2.0', ...initialize } as never)
  await until(() => received.length === 1)
  await mine.send({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'work', arguments: {} } })
  await until(() => received.length === 2)
  expect(received[1]).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32_603, message: 'Internal server error' } })
  expect(errors).toEqual([new Error('broken')])
  expect(served).toEqual([])
})
