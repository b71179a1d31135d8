import { describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { type RawReply, rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated, newServer } from '../support/gateway/gateways.ts'
import { addNewTools } from '../support/gateway/new-tools.ts'
import { done, formOf, type Heard, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { modernCall, send } from '../support/server/endpoint.ts'
import { replyOf } from '../support/server/everything-on-wire.ts'

const yes = (branch = 'main') => ({ action: 'accept', content: { branch } })
const textOf = ({ result }: RawReply) => result?.content?.[0]?.text
const keysOf = ({ result }: RawReply) => Object.keys(result?.inputRequests ?? {})
const answersTo = (reply: RawReply) => Object.fromEntries(keysOf(reply).map((key) => [key, yes()]))
const isRetry = ({ params }: Heard) => 'inputResponses' in params || 'requestState' in params

describe.each(Object.entries(askingUpstreams).filter(([name]) => name.endsWith('HTTP')))(
  'a state that a client carries between rounds with an upstream of %s',
  (_, start) => {
    const meet = async (clock = systemClock) => {
      const { url, gateway } = await gated(
        { up: await start(), other: await start() },
        { withLogin: true, assentOptions: { clock, policy: { default: 'allow', fallback: 'inbox' } } as never },
      )
      const token = 'alice/desk'
      const first = await rawCall(url, { name: 'up__build', token })
      const [key = ''] = keysOf(first)
      const state = String(first.result?.requestState)
      const retry = { name: 'up__build', token, requestState: state, inputResponses: { [key]: yes() } }
      return { url, gateway, first, state, retry }
    }

    test('is an error and nothing else once a single character of it is another (M26-06, M26-07)', async () => {
      const { url, state, retry } = await meet()
      const at = (n: number) => `${state.slice(0, n)}${state[n] === 'A' ? 'B' : 'A'}${state.slice(n + 1)}`
      const places = Array.from({ length: 40 }, (_, n) => Math.floor((n * state.length) / 40))
      const forged = [...places.map(at), '', '.', 'v1', `${state}A`, state.slice(1), state.slice(0, -4), '\u0000', '{}']
      for (const requestState of [...forged, 'x'.repeat(100_000), state.toUpperCase()]) {
        const { body, headers } = modernCall('up__build')
        const params = { ...body.params, requestState, inputResponses: retry.inputResponses }
        const reply = await replyOf(
          await send(url, {
            body: { ...body, params },
            headers: { ...headers, Authorization: 'Bearer alice/desk' },
          }),
        )
        expect({ code: reply.answer.error?.code, isBroken: reply.status >= 500 }).toEqual({
          code: -32_602,
          isBroken: false,
        })
      }
      // The true one still leads on.
      expect(textOf(await rawCall(url, retry))).toBe('built main')
    })

    test('is of no use to anybody else (M26-08, S-09, E11-25)', async () => {
      const { url, retry } = await meet()
      for (const token of ['bob/desk', 'alice/phone'])
        expect((await rawCall(url, { ...retry, token })).error?.code).toBe(-32_602)
      expect(textOf(await rawCall(url, retry))).toBe('built main')
    })

    test('is of no use for another tool, other arguments or another method (M26-10)', async () => {
      const { url, retry } = await meet()
      for (const other of [
        { name: 'up__twice' },
        { name: 'other__build' },
        { arguments: { more: true } },
        { method: 'prompts/get', params: { name: 'up__build' } },
      ])
        expect((await rawCall(url, { ...retry, ...other })).error?.code).toBe(-32_602)
      expect((await rawCall(new URL(`${url.href}/up`), { ...retry, name: 'build' })).error?.code).toBe(-32_602)
      expect(textOf(await rawCall(url, retry))).toBe('built main')
    })

    test('is of no use at the address of another server, which learns nothing of it (M26-10)', async () => {
      const { url, gateway } = await meet()
      const at = (server: string) => new URL(`${url.href}/${server}`)
      const token = 'alice/desk'
      const first = await rawCall(at('up'), { name: 'build', token })
      const { requestState } = first.result ?? {}
      const retry = { name: 'build', token, requestState, inputResponses: answersTo(first) }
      const before = gateway.parked
      expect((await rawCall(at('other'), retry)).error?.code).toBe(-32_602)
      expect(gateway.parked).toBe(before)
      expect(textOf(await rawCall(at('up'), retry))).toBe('built main')
    })

    test('is good for a while, and no longer (M26-09)', async () => {
      let moved = 0
      const { url, retry } = await meet({ ...systemClock, now: () => new Date(Date.now() + moved) })
      moved = 901_000
      const late = await rawCall(url, retry)
      expect(late.error?.code).toBe(-32_602)
      moved = 0
      expect(textOf(await rawCall(url, retry))).toBe('built main')
    })
  },
)

describe('the state of a 2026 upstream', () => {
  const odd = ' "{}\\u0000\u0007 é ☃ \\ ?'

  test('comes back to it byte for byte, never to anybody else, and where it gave none it gets none (M26-15)', async () => {
    const up = await plainUpstream(
      '2026',
      (heard) => {
        if (heard.method !== 'tools/call') return undefined
        if (isRetry(heard)) return done(JSON.stringify(heard.params.requestState ?? 'none'))
        const asked = { resultType: 'input_required', inputRequests: { branch: formOf('Which?') } }
        return heard.params.name === 'with' ? { ...asked, requestState: odd } : asked
      },
      [{ name: 'with' }, { name: 'without' }],
    )
    const { url } = await gated({ up: { url: up.url } })
    const call = async (name: string) => {
      const first = await rawCall(url, { name })
      expect(JSON.stringify(first)).not.toContain('☃')
      expect(first.result?.requestState).not.toContain(Buffer.from('☃').toString('base64url'))
      const requestState = first.result?.requestState
      return textOf(await rawCall(url, { name, requestState, inputResponses: answersTo(first) }))
    }
    expect(JSON.parse(String(await call('up__with')))).toBe(odd)
    expect(await call('up__without')).toBe('"none"')
  })

  test('and the answers to its questions go with its own retry, and with no other request (M26-17)', async () => {
    const up = await plainUpstream(
      '2026',
      (heard) => {
        if (heard.method === 'completion/complete') return { resultType: 'complete', completion: { values: [] } }
        if (heard.method !== 'tools/call') return undefined
        const { name, inputResponses = {} } = heard.params as { name: string; inputResponses?: Record<string, never> }
        if (name === 'plain') return done('plain')
        if (isRetry(heard)) return done(`${name}: ${JSON.stringify(inputResponses[name])}`)
        const inputRequests = { [name]: formOf('Which?') }
        return { resultType: 'input_required', inputRequests, requestState: `state of ${name}` }
      },
      [{ name: 'one' }, { name: 'two' }, { name: 'plain' }],
    )
    const { url } = await gated({ up: { url: up.url } })
    const finish = async (name: string) => {
      const first = await rawCall(url, { name: `up__${name}` })
      const requestState = first.result?.requestState
      const inputResponses = Object.fromEntries(keysOf(first).map((key) => [key, yes(name)]))
      return textOf(await rawCall(url, { name: `up__${name}`, requestState, inputResponses }))
    }
    const stray = { inputResponses: { one: yes() }, requestState: 'stray' }
    const [one, two] = await Promise.all([
      finish('one'),
      finish('two'),
      rawCall(url, { name: 'up__plain' }),
      rawCall(url, { method: 'tools/list', name: '', params: stray }),
      rawCall(new URL(`${url.href}/up`), {
        method: 'completion/complete',
        name: '',
        params: { ...stray, ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } },
      }),
    ])
    expect([one, two]).toEqual(['one', 'two'].map((name) => `${name}: ${JSON.stringify(yes(name))}`))
    expect(up.of('completion/complete')).toHaveLength(1)
    expect(up.heard.filter(isRetry).map(({ method, params }) => [method, params.name, params.requestState])).toEqual(
      expect.arrayContaining([
        ['tools/call', 'one', 'state of one'],
        ['tools/call', 'two', 'state of two'],
      ]),
    )
    expect(up.heard.filter(isRetry)).toHaveLength(2)
  })
})

test('questions that an upstream names like ours, or like those of a round before, keep keys of their own (M26-03)', async () => {
  const names = ['approval of the call', 'asked 1', 'page 1.0', 'connect notes', '1.branch', 'branch', 'constructor']
  const rounds: unknown[] = []
  const up = await plainUpstream(
    '2026',
    ({ method, params }) => {
      if (method !== 'tools/call') return undefined
      if (params.inputResponses !== undefined) rounds.push(params.inputResponses)
      if (rounds.length === 2) return done('done')
      const inputRequests = Object.fromEntries(names.map((name) => [name, formOf(`${name} ${rounds.length}`, 'it')]))
      return { resultType: 'input_required', inputRequests, requestState: `${rounds.length}` }
    },
    [{ name: 'ask' }],
  )
  const policy = { default: 'ask', fallback: 'inbox' }
  const { url } = await gated({ up: { url: up.url } }, { assentOptions: { policy } as never })
  const seen = new Map<string, string>()
  let reply = await rawCall(url, { name: 'up__ask' })
  for (let round = 0; round < 3; round++) {
    const asked = Object.entries(reply.result?.inputRequests ?? {})
    const inputResponses = Object.fromEntries(
      asked.map(([key, { params }]) => {
        const message = String(params.message)
        expect(seen.has(key), `${key} asks twice: ${seen.get(key)}, ${message}`).toBe(false)
        seen.set(key, message)
        const content = message.startsWith('[up]') ? { it: message } : { choice: 'allow_once' }
        return [key, { action: 'accept', content }]
      }),
    )
    reply = await rawCall(url, { name: 'up__ask', requestState: reply.result?.requestState, inputResponses })
  }
  expect(textOf(reply)).toBe('done')
  expect(seen.size).toBe(1 + 2 * names.length)
  expect(rounds).toEqual(
    [0, 1].map((round) =>
      Object.fromEntries(names.map((name) => [name, { action: 'accept', content: { it: `[up] ${name} ${round}` } }])),
    ),
  )
})

test('a 2026 client is asked nothing that it did not declare, whatever an upstream says (M26-12, E11-11)', async () => {
  const kinds = {
    form: formOf('Which?'),
    url: { method: 'elicitation/create', params: { mode: 'url', message: 'Go', url: 'https://example.com' } },
    sampling: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
    roots: { method: 'roots/list', params: {} },
  }
  const up = await plainUpstream(
    '2026',
    ({ method, params }) =>
      method === 'tools/call'
        ? { resultType: 'input_required', inputRequests: { it: kinds[params.name as 'form'] } }
        : undefined,
    Object.keys(kinds).map((name) => ({ name })),
  )
  const assentOptions = { policy: { default: 'allow', fallback: 'deny' } } as never
  const { url } = await gated({ up: { url: up.url } }, { assentOptions })
  for (const [declared, elicitation] of [
    ['form', { form: {} }],
    ['form', {}],
    ['url', { url: {} }],
    ['nothing', undefined],
  ] as const) {
    for (const name of Object.keys(kinds)) {
      const { result } = await rawCall(url, { name: `up__${name}`, elicitation })
      if (name === declared) expect(Object.keys(result?.inputRequests ?? {})).toEqual(['it'])
      else expect(result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'failed' } } })
      if (name !== declared) expect(result?.inputRequests).toBeUndefined()
    }
  }
  // Nor is more declared in its name.
  const declarations = up
    .of('tools/call')
    .map(({ params }) => (params._meta as Record<string, unknown>)['io.modelcontextprotocol/clientCapabilities'])
  expect(new Set(declarations.map((one) => JSON.stringify(one)))).toEqual(
    new Set(['{"elicitation":{"form":{}}}', '{"elicitation":{"url":{}}}', '{}']),
  )
})

test('what a retry brought is not remembered, and a round says nothing of caching (M26-21)', async () => {
  const up = await newServer((server) => addNewTools(server, { done: new Set(), runs: [] }))
  const { url } = await gated({ up: { url: up } })
  const read = (more: object = {}) =>
    rawCall(url, { method: 'resources/read', name: 'note://one', params: { uri: 'note://one', ...more } })
  for (const branch of ['one', 'two']) {
    const first = await read()
    expect(first.result).toMatchObject({ resultType: 'input_required' })
    expect(Object.keys(first.result ?? {})).not.toEqual(expect.arrayContaining([expect.stringMatching(/ttl|cache/i)]))
    const inputResponses = Object.fromEntries(keysOf(first).map((key) => [key, yes(branch)]))
    const second = await read({ requestState: first.result?.requestState, inputResponses })
    expect(second.result).toMatchObject({ contents: [{ text: `note on ${branch}` }] })
  }
})

test('what one server asked about a resource is not answered to another that has it by now', async () => {
  const uri = 'note://plan'
  let isUp = true
  const asks = ({ method, params }: Heard) => {
    if (method === 'resources/list') return isUp ? { ...listed, resources: [{ uri, name: 'plan' }] } : undefined
    if (method !== 'resources/read') return undefined
    if (params.requestState !== undefined) return { ...listed, contents: [{ uri, text: 'mine' }] }
    return { resultType: 'input_required', inputRequests: { q: formOf('Which?') }, requestState: 'SECRET-OF-A' }
  }
  const a = await plainUpstream('2026', asks)
  const b = await plainUpstream('2026', ({ method }) => {
    if (method === 'resources/list') return { ...listed, resources: [{ uri, name: 'plan' }] }
    return method === 'resources/read' ? { ...listed, contents: [{ uri, text: 'of b' }] } : undefined
  })
  const { url } = await gated({ a: { url: a.url }, b: { url: b.url } })
  const call = { method: 'resources/read', name: uri, params: { uri } }
  const first = await rawCall(url, call)
  isUp = false
  const retry = { ...call, requestState: first.result?.requestState, inputResponses: answersTo(first) }
  const { error } = await rawCall(url, retry)
  expect(error).toMatchObject({ code: -31_001, data: { reason: 'parked-call-gone' } })
  expect(error?.message).toBe('Another server asked this. b answers for this address now. Make the request again.')
  expect(b.of('resources/read')).toEqual([])
})

const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'public' }
