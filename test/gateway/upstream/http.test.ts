import { describe, expect, test } from 'vitest'
import type { UpstreamNews } from '../../../src/gateway/upstream/upstream.ts'
import { promised, until } from '../../server/servers.ts'
import { at, aVisitor, call, newServer, oldServer, opened, textOf, visitorNamed } from './upstreams.ts'

const never = new AbortController().signal

describe.each([
  ['2025-11-25', oldServer],
  ['2026-07-28', newServer],
] as const)('an upstream over HTTP of %s', (revision, serve) => {
  test('is found by probing, and its tools answer', async () => {
    const upstream = opened(at((await serve()).url))

    expect(upstream.state()).toMatchObject({ kind: 'untried' })
    const found = await upstream.era(aVisitor, never)
    expect(found).toMatchObject({ kind: 'found', era: { revision, perRequest: revision === '2026-07-28' } })
    expect(textOf(await call(upstream, 'echo', { text: 'héllo ✓' }))).toBe('héllo ✓')
    expect(upstream.state()).toMatchObject({ kind: 'up', revision, inFlight: 0 })
  })

  test('an unknown tool or method is answered as the upstream answers', async () => {
    const upstream = opened(at((await serve()).url))

    const reply = await upstream.request({ ...aVisitor, method: 'no/such', params: {}, signal: never })
    expect(reply).toMatchObject({ kind: 'error', error: { code: -32601 } })
  })

  test('progress comes by the token of the caller', async () => {
    const upstream = opened(at((await serve()).url))
    const heard: unknown[] = []

    const params = { _meta: { progressToken: 'mine' } }
    const hooks = { progress: (params: object) => void heard.push(params) }
    expect(textOf(await call(upstream, 'count', {}, { params, hooks }))).toBe('three')
    expect(heard).toEqual([1, 2, 3].map((progress) => ({ progressToken: 'mine', progress })))
  })

  test('a cancelled call ends at once, here and there', async () => {
    const { url, waits } = await serve()
    const upstream = opened(at(url))
    const before = { ...waits }
    const controller = new AbortController()

    const waiting = call(upstream, 'wait', {}, { signal: controller.signal })
    await until(() => waits.begun > before.begun)
    controller.abort()
    expect(await waiting).toMatchObject({ kind: 'lost', reason: 'cancelled', sent: true })
    expect(upstream.state().inFlight).toBe(0)
    await until(() => waits.cancelled > before.cancelled)
  })

  test('a credential is on the requests of its requester and on no other (O-05)', async () => {
    const { url, requests } = await serve()
    const upstream = opened({ ...at(url), headers: { Authorization: 'Bearer everybody', 'X-Team': 'blue' } })
    await call(upstream, 'echo', { text: 'a' })
    const shared = requests.length

    const credential = { header: 'Authorization', value: 'Bearer alice' }
    await call(upstream, 'echo', { text: 'b' }, { ...visitorNamed('alice'), credential })
    const hers = requests.length
    await call(upstream, 'echo', { text: 'c' })

    const sent = requests.map(({ headers }) => headers.authorization)
    expect(new Set(sent.slice(0, shared))).toEqual(new Set(['Bearer everybody']))
    expect(new Set(sent.slice(shared, hers))).toEqual(new Set(['Bearer alice']))
    expect(sent.at(-1)).toBe('Bearer everybody')
    expect(new Set(requests.map(({ headers }) => headers['x-team']))).toEqual(new Set(['blue']))
  })

  test('parameters too deep to be written end the call, and nothing else', async () => {
    const upstream = opened(at((await serve()).url))
    let deep = {}
    for (let level = 0; level < 20_000; level++) deep = { deep }

    expect(await call(upstream, 'echo', { text: deep })).toMatchObject({ kind: 'error', error: { code: -32602 } })
    expect(textOf(await call(upstream, 'echo', { text: 'on' }))).toBe('on')
    expect(upstream.state().inFlight).toBe(0)
  })

  test('a closed upstream answers nothing more, and what was in flight is lost', async () => {
    const { url, waits } = await serve()
    const upstream = opened(at(url))
    const { begun } = waits
    const waiting = call(upstream, 'wait')
    await until(() => waits.begun > begun)

    await upstream.close()
    expect(await waiting).toMatchObject({ kind: 'lost', reason: 'closed' })
    expect(await call(upstream, 'echo', { text: 'x' })).toMatchObject({ kind: 'lost', reason: 'closed', sent: false })
  })
})

describe('a 2025 upstream over HTTP', () => {
  test('asks the very request that caused the question (H11-05)', async () => {
    const upstream = opened(at((await oldServer()).url))
    const ask = (who: string) =>
      call(
        upstream,
        'ask',
        { who },
        {
          hooks: {
            asked: async (method, params) => {
              expect(method).toBe('elicitation/create')
              expect(params.message).toBe(`Who is ${who}?`)
              return { result: { action: 'accept', content: { name: who.toUpperCase() } } }
            },
          },
        },
      )

    const names = Array.from({ length: 20 }, (_, n) => `person-${n}`)
    const replies = await Promise.all(names.map(ask))
    expect(replies.map(textOf)).toEqual(names.map((who) => `${who}: accept ${who.toUpperCase()}`))
  })

  test('a question beside the call goes to the only call there is', async () => {
    const upstream = opened(at((await oldServer()).url))
    const hooks = { asked: async () => ({ result: { action: 'decline' } }) }

    // The stream for such questions opens after the handshake.
    await call(upstream, 'echo', { text: 'x' })
    await until(async () => textOf(await call(upstream, 'ask-aside', { who: 'eve' }, { hooks })).includes('decline'))
  })

  test('a question beside two calls is nobody’s, and is answered with an error', async () => {
    const { url, requests, waits } = await oldServer()
    const upstream = opened(at(url))
    const asked: string[] = []
    const hooks = {
      asked: async (method: string) => {
        asked.push(method)
        return { result: { action: 'accept' } }
      },
    }
    await call(upstream, 'echo', { text: 'x' })
    await until(() => requests.some(({ method }) => method === 'GET'))
    const controller = new AbortController()
    const { begun } = waits
    const other = call(upstream, 'wait', {}, { hooks, signal: controller.signal })
    await until(() => waits.begun > begun)

    expect(textOf(await call(upstream, 'ask-aside', { who: 'eve' }, { hooks }))).toBe('eve: -31001 nobody')
    controller.abort()
    await other
    // The one that was given up may be the one that asks.
    expect(textOf(await call(upstream, 'ask-aside', { who: 'eve' }, { hooks }))).toBe('eve: -31001 nobody')
    expect(asked).toEqual([])
  })

  test('two requesters have a session each, and news come by requester', async () => {
    const { url, sessions, requests } = await oldServer()
    const upstream = opened(at(url))
    const news: UpstreamNews[] = []
    upstream.listen((item) => news.push(item))
    await call(upstream, 'echo', { text: 'x' }, visitorNamed('alice'))
    await call(upstream, 'echo', { text: 'x' }, visitorNamed('bob'))
    await until(() => requests.filter(({ method }) => method === 'GET').length === 2)
    expect(sessions.size).toBe(2)

    await until(async () => {
      await call(upstream, 'change', {}, visitorNamed('alice'))
      return news.length > 0
    })
    expect(new Set(news.map(({ method }) => method))).toEqual(new Set(['notifications/tools/list_changed']))
    expect(new Set(news.map(({ requester }) => requester.client))).toEqual(new Set(['alice']))
  })

  test('logs and completions come on the call’s own stream', async () => {
    const upstream = opened(at((await oldServer()).url))
    const heard: unknown[] = []
    const hooks = {
      log: (params: object) => void heard.push(params),
      completed: (id: string) => void heard.push(id),
    }

    await call(upstream, 'count', {}, { hooks })
    expect(heard).toEqual([{ level: 'info', data: 'counted' }, 'e1'])
    expect(await call(upstream, 'visit')).toMatchObject({
      kind: 'error',
      error: { code: -32042, data: { elicitations: [{ elicitationId: 'e1' }] } },
    })
  })

  test.each([404, 400] as const)(
    'a session the upstream forgot (%s) is made anew, and the request sent again (H11-02)',
    async (forgets) => {
      const { url, sessions, forget } = await oldServer({ forgets })
      const upstream = opened(at(url))
      await call(upstream, 'echo', { text: 'x' })
      const [first] = sessions.keys()
      forget()

      const replies = await Promise.all(['a', 'b', 'c'].map((text) => call(upstream, 'echo', { text })))
      expect(replies.map(textOf)).toEqual(['a', 'b', 'c'])
      expect(sessions.has(first ?? '')).toBe(false)
      expect(upstream.state().open).toBe(1)
    },
  )

  test('answers as plain JSON do as well', async () => {
    const upstream = opened(at((await oldServer({ json: true })).url))
    expect(textOf(await call(upstream, 'echo', { text: 'x' }))).toBe('x')
  })

  test('whoever leaves has their session ended there (H11-03)', async () => {
    const { url, sessions } = await oldServer()
    const upstream = opened(at(url))
    await call(upstream, 'echo', { text: 'x' })
    expect(sessions.size).toBe(1)

    upstream.leave(aVisitor)
    await until(() => sessions.size === 0)
    expect(upstream.state().open).toBe(0)
  })

  test('a question is no longer wanted when its call is cancelled', async () => {
    const upstream = opened(at((await oldServer()).url))
    const controller = new AbortController()
    const { promise, keep } = promised<AbortSignal>()
    const hooks = {
      asked: (_method: string, _params: object, signal: AbortSignal) => {
        keep(signal)
        return new Promise<never>(() => {})
      },
    }

    const waiting = call(upstream, 'ask', { who: 'eve' }, { hooks, signal: controller.signal })
    const signal = await promise
    expect(signal.aborted).toBe(false)
    controller.abort()
    expect(textOf(await waiting)).toBe('lost: cancelled, sent: true')
    expect(signal.aborted).toBe(true)
  })
})

describe('a 2026 upstream over HTTP', () => {
  test('is told version, client and capabilities with each request (B26-08), and names in headers (H26-04)', async () => {
    const { url, requests } = await newServer()
    const upstream = opened(at(url))
    const clientInfo = { name: 'laptop', version: '3' }

    const said = JSON.parse(
      textOf(await call(upstream, 'envelope', {}, { clientInfo, capabilities: { sampling: {} } })),
    )
    expect(JSON.stringify(said)).toContain('"laptop"')
    expect(JSON.stringify(said)).toContain('"sampling"')
    expect(requests.at(-1)?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'envelope',
    })
    expect(requests.at(-1)?.headers['mcp-session-id']).toBeUndefined()
  })

  test('a name that is no header value is encoded (H26-05)', async () => {
    const { url, requests } = await newServer()
    const upstream = opened(at(url))

    await call(upstream, 'é')
    expect(requests.at(-1)?.headers['mcp-name']).toBe(`=?base64?${Buffer.from('é').toString('base64')}?=`)
  })

  test('its questions come back as the result, untouched, and the retry goes through', async () => {
    const upstream = opened(at((await newServer()).url))

    const asked = await call(upstream, 'ask')
    expect(asked).toMatchObject({
      kind: 'result',
      result: {
        resultType: 'input_required',
        requestState: 'opaque',
        inputRequests: { who: { method: 'elicitation/create' } },
      },
    })
    const who = { action: 'accept', content: { name: 'Ada' } }
    const params = { inputResponses: { who }, requestState: 'opaque' }
    expect(textOf(await call(upstream, 'ask', {}, { params }))).toBe('hello Ada')
  })

  test.each(['sse', 'json'] as const)('answers as %s are read', async (mode) => {
    const upstream = opened(at((await newServer(mode)).url))
    expect(textOf(await call(upstream, 'echo', { text: 'x' }))).toBe('x')
  })
})
