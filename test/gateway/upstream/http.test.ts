import { describe, expect, test } from 'vitest'
import type { UpstreamNotification } from '../../../src/gateway/upstream/upstream.ts'
import { promised, until } from '../../support/server/servers.ts'
import { aClient, at, call, clientNamed, newServer, oldServer, opened, textOf } from './upstreams.ts'

const never = new AbortController().signal

describe.each([
  ['2025-11-25', oldServer],
  ['2026-07-28', newServer],
] as const)('an upstream over HTTP of %s', (revision, serve) => {
  test('its revision is found by probing, and its tools answer', async () => {
    const upstream = opened(at((await serve()).url))

    expect(upstream.state()).toMatchObject({ kind: 'untried' })
    const found = await upstream.era(aClient, never)
    expect(found).toMatchObject({ kind: 'found', era: { revision, perRequest: revision === '2026-07-28' } })
    expect(textOf(await call(upstream, 'echo', { text: 'héllo ✓' }))).toBe('héllo ✓')
    expect(upstream.state()).toMatchObject({ kind: 'up', revision, inFlight: 0 })
  })

  test("the upstream's error for an unknown method is passed on", async () => {
    const upstream = opened(at((await serve()).url))

    const reply = await upstream.request({ ...aClient, method: 'no/such', params: {}, signal: never })
    expect(reply).toMatchObject({ kind: 'error', error: { code: -32601 } })
  })

  test("progress carries the caller's token", async () => {
    const upstream = opened(at((await serve()).url))
    const received: unknown[] = []

    const params = { _meta: { progressToken: 'mine' } }
    const hooks = { progress: (params: object) => void received.push(params) }
    expect(textOf(await call(upstream, 'count', {}, { params, hooks }))).toBe('three')
    expect(received).toEqual([1, 2, 3].map((progress) => ({ progressToken: 'mine', progress })))
  })

  test('a cancelled call ends at once, here and at the upstream', async () => {
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

  test('a credential is sent with the requests of its requester and with no others (O-05)', async () => {
    const { url, requests } = await serve()
    const upstream = opened({ ...at(url), headers: { Authorization: 'Bearer everybody', 'X-Team': 'blue' } })
    await call(upstream, 'echo', { text: 'a' })
    const shared = requests.length

    const credential = { header: 'Authorization', value: 'Bearer alice' }
    await call(upstream, 'echo', { text: 'b' }, { ...clientNamed('alice'), credential })
    const hers = requests.length
    await call(upstream, 'echo', { text: 'c' })

    const sent = requests.map(({ headers }) => headers.authorization)
    expect(new Set(sent.slice(0, shared))).toEqual(new Set(['Bearer everybody']))
    expect(new Set(sent.slice(shared, hers))).toEqual(new Set(['Bearer alice']))
    expect(sent.at(-1)).toBe('Bearer everybody')
    expect(new Set(requests.map(({ headers }) => headers['x-team']))).toEqual(new Set(['blue']))
  })

  test('parameters that are nested too deeply end only their own call', async () => {
    const upstream = opened(at((await serve()).url))
    let deep = {}
    for (let level = 0; level < 20_000; level++) deep = { deep }

    expect(await call(upstream, 'echo', { text: deep })).toMatchObject({ kind: 'error', error: { code: -32602 } })
    expect(textOf(await call(upstream, 'echo', { text: 'on' }))).toBe('on')
    expect(upstream.state().inFlight).toBe(0)
  })

  test('a closed upstream answers no more requests, and those in flight are lost', async () => {
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
  test('its question goes to the request that caused it (H11-05)', async () => {
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

  test('a question outside of any call goes to the only call in flight', async () => {
    const upstream = opened(at((await oldServer()).url))
    const hooks = { asked: async () => ({ result: { action: 'decline' } }) }

    // The stream for such questions is opened after the handshake.
    await call(upstream, 'echo', { text: 'x' })
    await until(async () => textOf(await call(upstream, 'ask-aside', { who: 'eve' }, { hooks })).includes('decline'))
  })

  test('a question outside of any call is answered with an error while two calls are in flight', async () => {
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
    // The question may come from the cancelled call.
    expect(textOf(await call(upstream, 'ask-aside', { who: 'eve' }, { hooks }))).toBe('eve: -31001 nobody')
    expect(asked).toEqual([])
  })

  test('each requester has a session, and notifications name the requester', async () => {
    const { url, sessions, requests } = await oldServer()
    const upstream = opened(at(url))
    const notifications: UpstreamNotification[] = []
    upstream.listen((notification) => notifications.push(notification))
    await call(upstream, 'echo', { text: 'x' }, clientNamed('alice'))
    await call(upstream, 'echo', { text: 'x' }, clientNamed('bob'))
    await until(() => requests.filter(({ method }) => method === 'GET').length === 2)
    expect(sessions.size).toBe(2)

    await until(async () => {
      await call(upstream, 'change', {}, clientNamed('alice'))
      return notifications.length > 0
    })
    expect(new Set(notifications.map(({ method }) => method))).toEqual(new Set(['notifications/tools/list_changed']))
    expect(new Set(notifications.map(({ requester }) => requester.client))).toEqual(new Set(['alice']))
  })

  test('log messages and completed elicitations reach the call on whose stream they come', async () => {
    const upstream = opened(at((await oldServer()).url))
    const received: unknown[] = []
    const hooks = {
      log: (params: object) => void received.push(params),
      completed: (id: string) => void received.push(id),
    }

    await call(upstream, 'count', {}, { hooks })
    expect(received).toEqual([{ level: 'info', data: 'counted' }, 'e1'])
    expect(await call(upstream, 'visit')).toMatchObject({
      kind: 'error',
      error: { code: -32042, data: { elicitations: [{ elicitationId: 'e1' }] } },
    })
  })

  test.each([404, 400] as const)(
    'a session that the upstream forgot (%s) is opened again, and the request is sent again (H11-02)',
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

  test('responses in plain JSON are read', async () => {
    const upstream = opened(at((await oldServer({ json: true })).url))
    expect(textOf(await call(upstream, 'echo', { text: 'x' }))).toBe('x')
  })

  test('releasing a client ends its session at the upstream (H11-03)', async () => {
    const { url, sessions } = await oldServer()
    const upstream = opened(at(url))
    await call(upstream, 'echo', { text: 'x' })
    expect(sessions.size).toBe(1)

    upstream.release(aClient)
    await until(() => sessions.size === 0)
    expect(upstream.state().open).toBe(0)
  })

  test('a question is withdrawn when its call is cancelled', async () => {
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
  test('gets version, client info and capabilities with each request (B26-08), and names in headers (H26-04)', async () => {
    const { url, requests } = await newServer()
    const upstream = opened(at(url))
    const clientInfo = { name: 'laptop', version: '3' }

    const envelope = JSON.parse(
      textOf(await call(upstream, 'envelope', {}, { clientInfo, capabilities: { sampling: {} } })),
    )
    expect(JSON.stringify(envelope)).toContain('"laptop"')
    expect(JSON.stringify(envelope)).toContain('"sampling"')
    expect(requests.at(-1)?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'envelope',
    })
    expect(requests.at(-1)?.headers['mcp-session-id']).toBeUndefined()
  })

  test('a name that is not a valid header value is encoded (H26-05)', async () => {
    const { url, requests } = await newServer()
    const upstream = opened(at(url))

    await call(upstream, 'é')
    expect(requests.at(-1)?.headers['mcp-name']).toBe(`=?base64?${Buffer.from('é').toString('base64')}?=`)
  })

  test('its questions are passed on unchanged as the result, and the retry gets the answer', async () => {
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

  test.each(['sse', 'json'] as const)('responses as %s are read', async (mode) => {
    const upstream = opened(at((await newServer(mode)).url))
    expect(textOf(await call(upstream, 'echo', { text: 'x' }))).toBe('x')
  })
})
