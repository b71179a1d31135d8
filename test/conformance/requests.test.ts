import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { checkForm, type ElicitationId, localParticipant } from '../../src/index.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import {
  able,
  answersTo,
  everythingOnWire,
  initialize,
  type Message,
  metaOf,
  replyOf,
  type Wire,
} from '../support/server/everything-on-wire.ts'

describe('each request of 2026-07-28 stands alone', () => {
  test('what one request declared is nothing to the next (B26-06, E26-01)', async () => {
    const wire = await everythingOnWire()
    const call = { name: 'test_input_required_result_elicitation', arguments: {} }

    expect((await wire.ask('tools/call', call, able)).answer.result?.resultType).toBe('input_required')
    const { status, answer } = await wire.ask('tools/call', call)
    expect(status).toBe(400)
    expect(answer.error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { elicitation: {} } } })
  })

  test('what a round needs comes with it: another server with the same keys goes on (B26-07, M26-22, E26-07)', async () => {
    const [first, second] = [await everythingOnWire(), await everythingOnWire()]
    const call = { name: 'test_input_required_result_elicitation', arguments: {} }

    const asked = await first.ask('tools/call', call, able)
    const { answer } = await second.ask('tools/call', { ...call, ...answersTo(asked, { name: 'Ada' }) }, able)
    expect(answer.result?.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
  })

  test('what a client calls itself changes nothing (B26-09)', async () => {
    const wire = await everythingOnWire()
    const call = { name: 'test_simple_text', arguments: {} }
    const named = (name: string) => ({ meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } } })

    const plain = await wire.ask('tools/call', call)
    for (const name of ['everything', 'Assent', 'Everything', '__proto__']) {
      expect((await wire.ask('tools/call', call, named(name))).answer).toEqual(plain.answer)
    }
  })

  test('lists are the same on every connection, and on every day (U26-01)', async () => {
    const [first, second] = [await everythingOnWire(), await everythingOnWire()]
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      expect((await first.ask(method)).answer).toEqual((await second.ask(method)).answer)
    }
  })

  test('a stream that broke is not resumed: the call is a new one (H26-10)', async () => {
    const wire = await everythingOnWire()
    const call = { name: 'test_simple_text', arguments: {} }
    const headers = { 'Last-Event-ID': '3.someone-elses-stream', 'Mcp-Session-Id': 'of-another-age' }
    const { status, answer, headers: sent } = await wire.ask('tools/call', call, { headers })

    expect(status).toBe(200)
    expect(answer.result?.content).toHaveLength(1)
    expect(sent.get('mcp-session-id')).toBeNull()
  })

  test('an id comes back as it was, and a request without one that counts is none (B26-01)', async () => {
    const wire = await everythingOnWire()
    for (const id of ['text', '', 0, -1, Number.MAX_SAFE_INTEGER]) {
      expect((await wire.ask('tools/list', {}, { id })).answer.id).toBe(id)
      expect((await wire.ask('unknown/method', {}, { id })).answer.id).toBe(id)
    }
    for (const id of [null, 1.5, {}]) expect((await wire.open('tools/list', {}, { id: id as never })).status).toBe(400)
  })

  test('extensions and experiments have a prefix of their own (V26-04)', async () => {
    const { ask } = await everythingOnWire()
    const { capabilities } = (await ask('server/discover')).answer.result as {
      capabilities: { extensions?: object; experimental?: object }
    }
    const names = Object.keys({ ...capabilities.extensions, ...capabilities.experimental })
    expect(names.filter((name) => !/^[a-z][\w.-]*\/\S+$/.test(name))).toEqual([])
  })
})

describe('http, as 2026-07-28 wants it', () => {
  test('a notification gets 202 and nothing else (H26-08)', async () => {
    const wire = await everythingOnWire()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const note = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9, _meta } }
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': note.method }
    const response = await wire.post(note, headers)

    expect(response.status).toBe(202)
    expect(await response.text()).toBe('')
  })

  test.each([
    ['several at once', [{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }]],
    ['an answer', { jsonrpc: '2.0', id: 1, result: { action: 'accept' } }],
    ['no message at all', { hello: 'world' }],
  ])('%s is refused (H26-07)', async (_, body) => {
    const wire = await everythingOnWire()
    const response = await wire.post(body, { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' })
    expect(response.status).toBe(400)
  })

  test('a stream is not buffered on its way, and its answer ends it (H26-09)', async () => {
    const wire = await everythingOnWire()
    const call = { name: 'test_tool_with_progress', arguments: {} }
    const { headers, messages } = await wire.ask('tools/call', call, { meta: { progressToken: 'p' } })

    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(messages.map(({ method = 'the answer' }) => method)).toEqual([
      ...Array(3).fill('notifications/progress'),
      'the answer',
    ])
  })

  test('no version header means a client of 2025 (H26-17)', async () => {
    const wire = await everythingOnWire()
    const opened = await wire.post(initialize('2025-03-26'))
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
    await opened.text()

    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'test_simple_text', arguments: {} } }
    expect((await replyOf(await wire.post(call, session))).answer.result?.content).toHaveLength(1)
  })

  test('initialize is never refused: whatever version is wanted, one that is served comes back (V26-07)', async () => {
    const wire = await everythingOnWire()
    const { status, answer } = await replyOf(await wire.post(initialize('1999-12-31')))
    expect(status).toBe(200)
    expect(answer.result?.protocolVersion).toBe('2025-11-25')
  })
})

describe('listening', () => {
  test('hears nothing of what other requests tell (L26-04)', async () => {
    const wire = await everythingOnWire()
    const leaving = new AbortController()
    const listening = await wire.open('subscriptions/listen', everything, { id: 'l', signal: leaving.signal })
    const call = { name: 'test_tool_with_progress', arguments: {} }
    await wire.ask('tools/call', call, { meta: { progressToken: 'p' } })
    await wire.serving.close()

    const heard = (await replyOf(listening)).messages.map(({ method }) => method)
    expect(heard).toEqual(['notifications/subscriptions/acknowledged', undefined])
  })

  test('is answered when the server ends it (L26-02)', async () => {
    const wire = await everythingOnWire()
    const listening = await wire.open('subscriptions/listen', everything, { id: 'l' })
    await wire.serving.close()

    const { answer } = await replyOf(listening)
    expect(answer).toMatchObject({ id: 'l', result: { resultType: 'complete' } })
    expect(metaOf(answer.result)).toMatchObject({ 'io.modelcontextprotocol/subscriptionId': 'l' })
  })
})

describe('clients that go away, and time that runs out', () => {
  test('whenever a client hangs up, the server is there for the next (X26-02)', async () => {
    const wire = await everythingOnWire()
    const calls = ['test_tool_with_progress', 'test_input_required_result_multi_round', 'test_tool_with_logging']
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const signal = AbortSignal.timeout(1 + n)
        const call = { name: calls[n % calls.length], arguments: {} }
        await wire.ask('tools/call', call, { ...able, signal, meta: { progressToken: n } }).catch(() => {})
      }),
    )
    const { answer } = await wire.ask('tools/call', { name: 'test_simple_text', arguments: {} })
    expect(answer.result?.content).toHaveLength(1)
  })

  test('a person has the time that the server gives them, and no more (X26-03, H11-11)', async () => {
    const clock = fixedClock()
    const wire = await everythingOnWire({ clocks: { question: '10m', state: '1h' } }, {}, { clock })
    const call = { name: 'ask_page', arguments: { url: 'https://example.com/terms' } }
    const asked = await wire.ask('tools/call', call, able)
    clock.advance(11 * 60_000)
    const { answer } = await wire.ask('tools/call', { ...call, ...answersTo(asked, {}) }, able)

    expect(answer.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'expired' } } })
  })
})

describe('clients of 2025', () => {
  test('one that has not said that it is ready is not asked before it does (V11-02)', async () => {
    const wire = await everythingOnWire()
    const session = await openSession(wire, { elicitation: {} })
    const calling = await wire.post(ask, session)
    const heard = calling.body?.pipeThrough(new TextDecoderStream()).getReader()
    await heard?.read()
    const next = heard?.read().then(({ value }) => value)
    expect(await Promise.race([next, setTimeout(100, 'silence')])).toBe('silence')

    await wire.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    expect(await next).toContain('elicitation/create')
  })

  test('one that declared nothing is sent nothing, and its call ends with a reason (V11-01)', async () => {
    const wire = await everythingOnWire()
    const session = await openSession(wire, {})
    const { messages, answer } = await replyOf(await wire.post(ask, session))

    expect(messages).toHaveLength(1)
    expect(answer.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'cannot-ask' } } })
  })
})

describe('a secret that was given on a page', () => {
  const secret = 'planted-3d4c0ffee'
  const call = { name: 'ask_secret', arguments: {} }
  const person = { participant: localParticipant, groups: [], via: 'page' } as const

  test('is in no byte that a client of 2026 gets (E11-27)', async () => {
    const wire = await everythingOnWire()
    const asked = await wire.ask('tools/call', call, able)
    await giveSecret(wire, asked.messages)
    const done = await wire.ask('tools/call', { ...call, ...answersTo(asked, {}) }, able)
    const again = await wire.ask('tools/call', call, able)

    expect(done.answer.result?.content).toEqual([{ type: 'text', text: 'Got a key of 17 characters' }])
    expect(again.answer.result?.content).toEqual(done.answer.result?.content)
    expect(JSON.stringify([asked, done, again])).not.toContain(secret)
  })

  async function giveSecret({ assent }: Wire, asked: readonly Message[]): Promise<void> {
    const [, id] = /\/elicit\/([^/"]+)/.exec(JSON.stringify(asked)) ?? []
    await assent.answer(id as ElicitationId, person, { action: 'accept', content: { apiKey: secret } })
  }
})

test('metadata names the scopes that are needed, and offline_access is none of them (O-08)', async () => {
  const login = {
    issuer: 'https://id.example.com',
    audience: 'https://mcp.example.com/mcp',
    byToken: async () => undefined,
  }
  const { serving } = await everythingOnWire({}, { login, requiredScopes: ['notes.read'] })
  const url = 'https://mcp.example.com/.well-known/oauth-protected-resource'
  const metadata = await (await serving.fetch(new Request(url, { headers: { Host: 'mcp.example.com' } }))).json()
  expect(metadata).toMatchObject({ scopes_supported: ['notes.read'] })
})

test('arguments that do not fit never reach the tool (U26-03)', async () => {
  const wire = await everythingOnWire()
  const { answer } = await wire.ask('tools/call', { name: 'ask_confirm', arguments: { file: 7 } }, able)
  expect(answer.result ?? answer.error).toMatchObject(answer.result ? { isError: true } : { code: -32_602 })
})

test('a form that points elsewhere, or goes deeper than a form does, is refused and nothing fetched (B26-12)', () => {
  const field = (schema: object) => ({ type: 'object', properties: { field: schema } })
  const deep = Array.from({ length: 10_000 }).reduce<object>((inner) => ({ type: 'array', items: inner }), {})

  for (const schema of [field({ $ref: 'https://example.com/schema.json' }), field(deep)]) {
    expect(() => checkForm(schema)).toThrow()
  }
})

const everything = {
  notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
}

const ask: Message & { jsonrpc: string } = {
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name: 'test_input_required_result_elicitation', arguments: {} },
}

async function openSession({ post }: Wire, capabilities: object): Promise<Record<string, string>> {
  const opened = await post(initialize('2025-11-25', capabilities))
  await opened.text()
  return { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '', 'MCP-Protocol-Version': '2025-11-25' }
}
