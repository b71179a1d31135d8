import { execFile } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/base/json.ts'
import { Budget } from '../../../src/base/limits/budget.ts'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
import { listening, promised, until } from '../../support/server/servers.ts'
import { aClient, at, call, newServer, opened, textOf } from './upstreams.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly body: JsonObject
  readonly req: IncomingMessage
  readonly res: ServerResponse
  json(message: object, status?: number, headers?: object): void
  /** Begins a stream of events and sends these. */
  stream(...events: string[]): void
}

const hi = { content: [{ type: 'text', text: 'hi' }] }
const discovery = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0 }
const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'bad', version: '0' } }

/** A server without the SDK: the handshake of either era succeeds, and the test answers `tools/call`. */
async function badServer(era: '2025' | '2026', onCall: (call: Call) => void, onGet?: (call: Call) => void) {
  const seen: Call[] = []
  const url = await listening(async (req: IncomingMessage, res: ServerResponse) => {
    const body = req.method === 'POST' ? JSON.parse(await text(req)) : {}
    const made: Call = {
      id: body.id,
      method: body.method ?? req.method,
      body,
      req,
      res,
      json: (message, status = 200, headers = {}) => {
        res.writeHead(status, { 'Content-Type': 'application/json', ...headers })
        res.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
      },
      stream: (...events) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' })
        for (const event of events) res.write(`${event}\n\n`)
      },
    }
    seen.push(made)
    if (req.method === 'GET' && onGet !== undefined) return onGet(made)
    if (req.method !== 'POST') return void res.writeHead(405).end()
    if (made.method === 'tools/call') return onCall(made)
    if (made.method === 'server/discover' && era === '2026') return made.json({ id: body.id, result: discovery })
    if (made.method === 'initialize') {
      return made.json({ id: body.id, result: greeting }, 200, { 'Mcp-Session-Id': 's1' })
    }
    if (body.id === undefined || body.method === undefined) return void res.writeHead(202).end()
    made.json({ id: body.id, error: { code: -32601, message: 'no' } })
  })
  return { url, seen, calls: () => seen.filter(({ method }) => method === 'tools/call').length }
}

const eras = ['2025', '2026'] as const
const data = (message: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}`

test.each(eras)('%s: an HTML page instead of a response is malformed, and the call is not sent again', async (era) => {
  const { url, calls } = await badServer(era, ({ res }) => {
    res.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>')
  })
  expect(textOf(await call(opened(at(url)), 'x'))).toBe('lost: malformed, sent: true')
  expect(calls()).toBe(1)
})

test.each(eras)('%s: an error page is a refusal, and only after a 5xx may the call have run', async (era) => {
  const statuses = [502, 403, 429]
  const { url } = await badServer(era, ({ res }) => {
    res.writeHead(statuses.shift() ?? 200, { 'Content-Type': 'text/html' }).end('<h1>Sorry</h1>')
  })
  const upstream = opened(at(url))
  expect(textOf(await call(upstream, 'x'))).toBe('lost: refused, sent: true')
  expect(upstream.state()).toMatchObject({ kind: 'down', reason: 'HTTP 502: <h1>Sorry</h1>' })
  expect(textOf(await call(upstream, 'x'))).toBe('lost: refused, sent: false')
  expect(textOf(await call(upstream, 'x'))).toBe('lost: refused, sent: false')
})

test.each(eras)('%s: the state names a web page, and does not quote its styles', async (era) => {
  const { url } = await badServer(era, ({ res }) => {
    res.writeHead(403, { 'Content-Type': 'text/html' }).end('\n<!doctype html><style>b{}</style>')
  })
  const upstream = opened(at(url))
  expect(textOf(await call(upstream, 'x'))).toBe('lost: refused, sent: false')
  expect(upstream.state()).toMatchObject({ reason: 'HTTP 403: a web page' })
})

test.each(eras)('%s: a redirect is not followed (S-07)', async (era) => {
  const there = await badServer(era, ({ id, json }) => json({ id, result: hi }))
  const { url } = await badServer(era, ({ res }) => {
    res.writeHead(307, { Location: there.url.href }).end()
  })
  expect(textOf(await call(opened(at(url)), 'x'))).toBe('lost: redirected, sent: false')
  expect(there.seen).toEqual([])
})

test.each(eras)('%s: 401 and 403 say which credential is needed', async (era) => {
  const challenges = [
    [401, 'Bearer error="invalid_token", resource_metadata="https://a.example/.well-known/x"'],
    [403, 'Bearer error="insufficient_scope", scope="notes.read notes.write"'],
    [401, undefined],
  ] as const
  let next = 0
  const { url } = await badServer(era, ({ res }) => {
    const [status, header] = challenges[next++] ?? [500]
    res.writeHead(status, header === undefined ? {} : { 'WWW-Authenticate': header }).end()
  })
  const upstream = opened(at(url))
  expect(await call(upstream, 'x')).toEqual({
    kind: 'unauthorized',
    status: 401,
    error: 'invalid_token',
    resourceMetadata: 'https://a.example/.well-known/x',
  })
  expect(await call(upstream, 'x')).toEqual({
    kind: 'unauthorized',
    status: 403,
    error: 'insufficient_scope',
    scopes: ['notes.read', 'notes.write'],
  })
  expect(await call(upstream, 'x')).toEqual({ kind: 'unauthorized', status: 401 })
})

test('a server that needs a credential for its probe is unauthorized without one and found with one', async () => {
  const inner = await newServer()
  const guarded = await listening(async (req: IncomingMessage, res: ServerResponse) => {
    if (req.headers.authorization !== 'Bearer good') {
      return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer scope="all"' }).end()
    }
    const headers = req.headers as Record<string, string>
    const answer = await fetch(inner.url, { method: 'POST', headers: pick(headers), body: await text(req) })
    res.writeHead(answer.status, { 'Content-Type': answer.headers.get('content-type') ?? '' })
    res.end(await answer.text())
  })
  const upstream = opened(at(guarded))
  expect(await call(upstream, 'echo', { text: 'x' })).toEqual({ kind: 'unauthorized', status: 401, scopes: ['all'] })
  const credential = { header: 'Authorization', value: 'Bearer good' }
  expect(textOf(await call(upstream, 'echo', { text: 'x' }, { credential }))).toBe('x')
})

const pick = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(mcp-|content-type|accept$)/.test(name)))

test.each(eras)('%s: a response over the limit is lost, in a body or in an event', async (era) => {
  const result = { content: [{ type: 'text', text: 'x'.repeat(50_000) }] }
  let isStream = false
  const { url } = await badServer(era, ({ id, json, stream }) => {
    if (isStream) stream(data({ id, result }))
    else json({ id, result })
    isStream = true
  })
  const upstream = opened(at(url), { limits: { messageBytes: 10_000 } })
  expect(textOf(await call(upstream, 'x'))).toBe('lost: too-long, sent: true')
  expect(textOf(await call(upstream, 'x'))).toBe('lost: too-long, sent: true')
  expect(upstream.state().inFlight).toBe(0)
})

test.each(eras)('%s: a response of too many JSON values is lost, in a body or in an event', async (era) => {
  const result = { content: [], structuredContent: { all: Array(2_000).fill({}) } }
  let isStream = false
  const { url } = await badServer(era, ({ id, json, stream }) => {
    if (isStream) stream(data({ id, result }))
    else json({ id, result })
    isStream = true
  })
  const upstream = opened(at(url), { limits: { messageValues: 1_000 } })
  expect(textOf(await call(upstream, 'x'))).toBe('lost: too-long, sent: true')
  expect(textOf(await call(upstream, 'x'))).toBe('lost: too-long, sent: true')
  expect(upstream.state().inFlight).toBe(0)
})

test.each(eras)('%s: an attack: many answers are begun and never ended', async (era) => {
  const { url } = await badServer(era, ({ id, res }) => {
    res.writeHead(200, { 'Content-Type': id % 2 === 0 ? 'application/json' : 'text/event-stream' })
    res.write(`data: ${'x'.repeat(400_000)}`)
  })
  const messages = new Budget(8_000_000, 2_000_000)
  const upstream = opened(at(url), { messages })
  const ends: string[] = []
  const calling = Array.from({ length: 20 }, async () => ends.push(textOf(await call(upstream, 'x'))))
  // What does not fit ends with its reason, and the rest is held for as long as its calls last.
  await until(() => ends.length >= 15)
  expect(new Set(ends)).toEqual(new Set(['lost: too-long, sent: true']))
  expect(messages.held).toBeLessThanOrEqual(2_000_000)
  await upstream.close()
  await Promise.all(calling)
  expect(messages.held).toBe(0)
})

test.each(eras)('%s: an upstream that says too much of itself is not used', async (era) => {
  const url = await listening(async (req: IncomingMessage, res: ServerResponse) => {
    if (req.method !== 'POST') return void res.writeHead(405).end()
    const { id, method } = JSON.parse(await text(req))
    const capabilities = { experimental: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, {}])) }
    const found = era === '2026' ? method === 'server/discover' : method === 'initialize'
    const result = { ...(era === '2026' ? discovery : greeting), capabilities }
    const answer = found ? { result } : { error: { code: -32601, message: 'no' } }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  expect(await call(opened(at(url)), 'x')).toMatchObject({ kind: 'lost', reason: 'too-long', sent: false })
})

test('2025: questions for which there is no room are refused, and room is given back with each answer', async () => {
  const { promise, keep } = promised()
  const params = { message: 'x'.repeat(1_000) }
  const { url, seen } = await badServer('2025', async ({ id, stream, res }) => {
    stream(...[1, 2, 3].map((n) => data({ id: `ask ${n}`, method: 'elicitation/create', params })))
    await promise
    res.end(`${data({ id, result: hi })}\n\n`)
  })
  const messages = new Budget(1_000_000, 60_000)
  const upstream = opened(at(url), { messages })
  const answering: ((reply: { result: JsonObject }) => void)[] = []
  const hooks = { asked: () => new Promise<{ result: JsonObject }>((resolve) => answering.push(resolve)) }
  const calling = call(upstream, 'x', {}, { hooks })
  const answers = () =>
    seen.map(({ body }) => body).filter(({ id, method }) => id !== undefined && method === undefined)
  await until(() => answers().length === 1)
  expect(answers()).toMatchObject([{ id: 'ask 3', error: { code: -31001 } }])
  expect(answering).toHaveLength(2)
  expect(messages.held).toBeGreaterThan(40_000)
  answering[0]?.({ result: {} })
  await until(() => answers().length === 2)
  expect(messages.held).toBeLessThan(40_000)
  keep()
  expect(textOf(await calling)).toBe('hi')
  expect(messages.held).toBe(0)
})

test.each(eras)(
  '%s: wrong ids and malformed or unexpected messages are dropped; the first matching response counts',
  async (era) => {
    const { url } = await badServer(era, ({ id, stream, res }) => {
      stream(
        'data: rubbish',
        ': a comment',
        'event: x',
        data({ id: id + 1, result: {} }),
        data({ id: `${id}`, result: {} }),
      )
      res.end(`${data({ id, result: hi })}\r\n\r\n${data({ id, result: {} })}\n\n`)
    })
    const upstream = opened(at(url))
    expect(textOf(await call(upstream, 'x'))).toBe('hi')
    await until(() => upstream.state().dropped === 4)
  },
)

test.each(eras)('%s: a body with the id of another request is not a response', async (era) => {
  const { url } = await badServer(era, ({ id, json }) => json({ id: id + 1, result: hi }))
  expect(textOf(await call(opened(at(url)), 'x'))).toBe('lost: malformed, sent: true')
})

test.each(eras)(
  '%s: when the connection breaks before the response, the call is lost and not sent again',
  async (era) => {
    const { url, calls } = await badServer(era, ({ res }) => res.destroy())
    const upstream = opened(at(url))
    expect(textOf(await call(upstream, 'x'))).toBe('lost: broken, sent: true')
    expect(calls()).toBe(1)
  },
)

test.each(eras)('%s: when a stream without event ids breaks, the call is lost', async (era) => {
  const { url, calls } = await badServer(era, ({ stream, res }) => {
    stream(data({ method: 'notifications/message', params: { level: 'info', data: 1 } }))
    setTimeout(() => res.destroy(), 20)
  })
  expect(textOf(await call(opened(at(url)), 'x'))).toBe('lost: broken, sent: true')
  expect(calls()).toBe(1)
})

test('2025: a broken stream with event ids is resumed after its last event (H11-08)', async () => {
  let wanted = 0
  const { url, calls, seen } = await badServer(
    '2025',
    ({ id, stream, res }) => {
      wanted = id
      stream('id: 1\nretry: 60\ndata:', `id: 2\n${data({ method: 'notifications/message', params: { data: 1 } })}`)
      setTimeout(() => res.destroy(), 20)
    },
    ({ req, stream, res }) => {
      if (req.headers['last-event-id'] === undefined) return void res.writeHead(405).end()
      // Ends once without an error before it brings the response.
      if (req.headers['last-event-id'] === '2') stream('id: 3\ndata:')
      else stream(`id: 4\n${data({ id: wanted, result: hi })}`)
      res.end()
    },
  )
  const logs: unknown[] = []
  const hooks = { log: (params: object) => void logs.push(params) }
  expect(textOf(await call(opened(at(url)), 'x', {}, { hooks }))).toBe('hi')
  expect(logs).toEqual([{ data: 1 }])
  expect(calls()).toBe(1)
  expect(seen.map(({ req }) => req.headers['last-event-id']).filter(Boolean)).toEqual(['2', '3'])
})

test('2026: a broken stream is not resumed, even with event ids (H26-10)', async () => {
  const { url, seen } = await badServer('2026', ({ stream, res }) => {
    stream(`id: 1\n${data({ method: 'notifications/message', params: {} })}`)
    res.end()
  })
  expect(textOf(await call(opened(at(url)), 'x'))).toBe('lost: broken, sent: true')
  expect(seen.filter(({ req }) => req.method === 'GET')).toEqual([])
})

test('2026: a request of the server is not answered (B26-14)', async () => {
  const { url, seen } = await badServer('2026', ({ id, stream, res }) => {
    stream(data({ id: 1, method: 'elicitation/create', params: { message: 'Who?' } }))
    res.end(`${data({ id, result: hi })}\n\n`)
  })
  const asked: string[] = []
  const hooks = { asked: async (method: string) => ({ result: { asked: asked.push(method) } }) }
  expect(textOf(await call(opened(at(url)), 'x', {}, { hooks }))).toBe('hi')
  expect(asked).toEqual([])
  expect(seen.filter(({ body }) => 'result' in body)).toEqual([])
})

test('2025: pings are answered; unknown requests and too many questions are refused', async () => {
  const { promise, keep } = promised()
  const { url, seen } = await badServer('2025', async ({ id, stream, res }) => {
    stream(data({ id: 'p', method: 'ping' }), data({ id: 'u', method: 'tasks/list' }))
    for (let n = 0; n < 4; n++) res.write(`${data({ id: n, method: 'roots/list' })}\n\n`)
    await promise
    res.end(`${data({ id, result: hi })}\n\n`)
  })
  const upstream = opened(at(url), { limits: { openAsks: 3 } })
  const hooks = { asked: () => new Promise<never>(() => {}) }
  const calling = call(upstream, 'x', {}, { hooks })
  const answers = () =>
    seen.map(({ body }) => body).filter(({ id, method }) => id !== undefined && method === undefined)
  await until(() => answers().length === 3)
  expect(answers()).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 'p', result: {} },
      expect.objectContaining({ id: 'u', error: expect.objectContaining({ code: -32601 }) }),
      expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -31001 }) }),
    ]),
  )
  keep()
  expect(textOf(await calling)).toBe('hi')
})

test('2025: after a second 404 the request is not tried a third time', async () => {
  const { url, calls } = await badServer('2025', ({ res }) => res.writeHead(404).end())
  expect(await call(opened(at(url)), 'x')).toMatchObject({ kind: 'lost', sent: false })
  expect(calls()).toBe(2)
})

test('an address where nothing listens is down, and nothing was sent', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const upstream = opened(at(new URL(`http://127.0.0.1:${port}/mcp`)))

  expect(textOf(await call(upstream, 'x'))).toBe('lost: down, sent: false')
  expect(upstream.state()).toMatchObject({ kind: 'down', reason: expect.stringContaining('ECONNREFUSED') })
})

test('the era of an upstream that was replaced by an older one is found again', async () => {
  let era = '2026'
  const url = await listening(async (req: IncomingMessage, res: ServerResponse) => {
    const { id, method } = req.method === 'POST' ? JSON.parse(await text(req)) : { id: 0, method: 'GET' }
    const answer = (message: object, status = 200) => {
      res.writeHead(status, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }))
    }
    if (method === 'GET') return void res.writeHead(405).end()
    if (id === undefined) return void res.writeHead(202).end()
    if (req.headers['mcp-protocol-version'] === '2026-07-28' && era === '2025') {
      return answer({ error: { code: -32000, message: 'Bad Request: Server not initialized' } }, 400)
    }
    if (method === 'server/discover') return answer({ result: discovery })
    answer({ result: method === 'initialize' ? greeting : hi })
  })
  const upstream = opened(at(url))
  expect(textOf(await call(upstream, 'x'))).toBe('hi')
  era = '2025'
  expect(await call(upstream, 'x')).toMatchObject({ kind: 'error', error: { code: -32000 } })
  expect(textOf(await call(upstream, 'x'))).toBe('hi')
  expect(upstream.state().revision).toBe('2025-11-25')
})

test('a stream that has brought its response and does not end is closed after a while', async () => {
  const { promise, keep } = promised()
  const { url } = await badServer('2026', ({ id, stream, res }) => {
    res.on('close', () => keep())
    stream(data({ id, result: hi }))
  })
  const clock = fixedClock()
  const upstream = opened(at(url), { clock })
  expect(textOf(await call(upstream, 'x'))).toBe('hi')
  clock.advance(10_000)
  await promise
})

test('a credential that is not a valid header value is never sent', async () => {
  const { url, calls } = await badServer('2026', ({ id, json }) => json({ id, result: hi }))
  const upstream = opened(at(url))
  await upstream.era(aClient, new AbortController().signal)
  const credential = { header: 'Authorization', value: 'a\r\nX-Evil: 1' }
  expect(textOf(await call(upstream, 'x', {}, { credential }))).toBe('lost: refused, sent: false')
  expect(calls()).toBe(0)
})

test('the dispatcher of the built-in fetch is not replaced, even if fetch was not used before', async () => {
  const { url } = await badServer('2026', ({ id, json }) => json({ id, result: hi }))
  const pool = new URL('../../../src/gateway/upstream/http/connection-pool.ts', import.meta.url).href
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' })
  // The dispatcher of the undici package fails on a given content-length.
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
  const script = `
    await import('${pool}')
    const replaced = globalThis[Symbol.for('undici.globalDispatcher.1')] !== undefined
    const answer = await fetch('${url.href}', ${JSON.stringify({ method: 'POST', headers, body })})
    process.stdout.write(JSON.stringify({ replaced, answer: await answer.json() }))`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toMatchObject({ replaced: false, answer: { id: 1, result: hi } })
})
