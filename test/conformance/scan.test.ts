import { describe, expect, test } from 'vitest'
import {
  able,
  answersTo,
  everythingOnWire,
  type Message,
  metaOf,
  type Reply,
  type Wire,
} from '../support/server/everything-on-wire.ts'

const everyAnswer = { name: 'Ada', color: 'red', ok: true, confirm: true, context: 'rain', reader: 'Ada' }

describe('nothing leaves a server of 2026-07-28 that the protocol does not know', () => {
  test('no request, whatever is asked (E26-02, M26-01, B26-14)', async () => {
    const { messages } = await everyExchange()
    expect(messages.length).toBeGreaterThan(60)
    expect(messages.filter(({ id, method }) => method !== undefined && id !== undefined)).toEqual([])
  })

  test('no notification but progress, and none of cancelling or completion (E26-03, X26-01, H26-09)', async () => {
    const { messages } = await everyExchange()
    const told = messages.map(({ method }) => method).filter((method) => method !== undefined)
    expect([...new Set(told)]).toEqual(['notifications/progress'])
  })

  test('no elicitationId, and no -32042 (E26-03)', async () => {
    const { text, codes } = await everyExchange()
    expect(text).not.toContain('elicitationId')
    expect(codes).not.toContain(-32_042)
  })

  test('no result without its type, and none of a type that nobody advertised (B26-02, B26-04, K26-01)', async () => {
    const { messages } = await everyExchange()
    const types = messages.flatMap(({ result }) => (result === undefined ? [] : [result.resultType]))
    expect([...new Set(types)].sort()).toEqual(['complete', 'input_required'])
  })

  test('no error code that is not defined (B26-05)', async () => {
    const { codes } = await everyExchange()
    const defined = [-32_700, -32_600, -32_601, -32_602, -32_603, -32_020, -32_021, -32_022]
    const own = [...codes].filter((code) => !defined.includes(code))
    expect(own.filter((code) => code >= -32_768 && code <= -32_000)).toEqual([])
  })

  test('no _meta key but well formed ones, and ours are not in the name of MCP (B26-13)', async () => {
    const { messages } = await everyExchange()
    const keys = new Set(
      messages.flatMap(({ params, result }) => Object.keys({ ...metaOf(params), ...metaOf(result) })),
    )
    for (const key of keys) {
      expect(key).toMatch(/^[a-z](?:[a-z\d-]*[a-z\d])?(?:\.[a-z](?:[a-z\d-]*[a-z\d])?)*\/[a-z\d](?:[\w.-]*[a-z\d])?$/i)
    }
    const ours = [...keys].filter((key) => !key.startsWith('io.modelcontextprotocol/'))
    expect(ours).toEqual(['assent/outcome'])
  })

  test('no question of a kind that the protocol does not have (M26-04)', async () => {
    const { messages } = await everyExchange()
    const asked = messages.flatMap(({ result }) => Object.values((result?.inputRequests as object | undefined) ?? {}))
    const kinds = new Set(asked.map(({ method }: { method: string }) => method))
    expect([...kinds].sort()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage'])
  })

  test('no question that may be cached (M26-21)', async () => {
    const { messages } = await everyExchange()
    const questions = messages.filter(({ result }) => result?.resultType === 'input_required')
    expect(questions.length).toBeGreaterThan(10)
    expect(questions.filter(({ result = {} }) => 'ttlMs' in result || 'cacheScope' in result)).toEqual([])
  })
})

interface Exchange {
  readonly messages: readonly Message[]
  readonly codes: ReadonlySet<number>
  readonly text: string
}

let exchanged: Promise<Exchange> | undefined

/** Everything there is, asked for by a client that can be asked and by one that cannot, answered with yes and with no. */
function everyExchange(): Promise<Exchange> {
  exchanged ??= exchangeEverything()
  return exchanged
}

async function exchangeEverything(): Promise<Exchange> {
  const wire = await everythingOnWire({ clocks: { hold: '10ms' } })
  const replies: Reply[] = []
  for (const sending of [able, {}]) {
    for (const [method, params] of await everyRequest(wire)) {
      const meta = { progressToken: `${replies.length}` }
      const first = await wire.ask(method, params, { ...sending, meta })
      replies.push(first)
      if (first.answer.result?.resultType !== 'input_required') continue
      replies.push(await wire.ask(method, { ...params, ...answersTo(first, everyAnswer) }, { ...sending, meta }))
      const declined = { ...answersTo(first, {}), inputResponses: noTo(first) }
      replies.push(await wire.ask(method, { ...params, ...declined }, { ...sending, meta }))
      replies.push(await wire.ask(method, { ...params, requestState: 'forged' }, { ...sending, meta }))
    }
  }
  const messages = replies.flatMap((reply) => reply.messages)
  const codes = new Set(messages.flatMap(({ error }) => (error === undefined ? [] : [error.code])))
  return { messages, codes, text: JSON.stringify(messages) }
}

async function everyRequest({ ask }: Wire): Promise<[string, Record<string, unknown>][]> {
  const named = async (method: string, list: string) =>
    (await ask(method)).answer.result?.[list] as { name: string; uri: string }[]
  const args = { message: 'Who?', prompt: 'What?', file: 'a', url: 'https://example.com/terms', arg1: 'a', arg2: 'b' }
  return [
    ['server/discover', {}],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'test://nowhere' }],
    ['tools/call', { name: 'no_such_tool', arguments: {} }],
    ['unknown/method', {}],
    ...(await named('tools/list', 'tools')).map(({ name }): [string, Record<string, unknown>] => [
      'tools/call',
      { name, arguments: args },
    ]),
    ...(await named('prompts/list', 'prompts')).map(({ name }): [string, Record<string, unknown>] => [
      'prompts/get',
      { name, arguments: { ...args, resourceUri: 'test://static-text' } },
    ]),
    ...(await named('resources/list', 'resources')).map(({ uri }): [string, Record<string, unknown>] => [
      'resources/read',
      { uri },
    ]),
  ]
}

function noTo({ answer }: Reply): Record<string, unknown> {
  return Object.fromEntries(Object.keys(answer.result?.inputRequests ?? {}).map((key) => [key, { action: 'decline' }]))
}
