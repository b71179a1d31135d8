import { describe, expect, test } from 'vitest'
import type { ServingContext } from '../../../src/mcp/http/session/served-session.ts'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
import { callOf, echoServer, endpoint, initialize, openSession, say, send } from '../../support/server/endpoint.ts'
import { legacyClient, oldClient } from './clients.ts'

const minutes = (count: number) => count * 60_000

/** A tool that runs until it is let go. */
function heldServer() {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const factory = () =>
    echoServer((server) =>
      server.registerTool('hold', {}, async () => {
        await held
        return say('let go')
      }),
    )
  return { factory, release }
}

describe('a session', () => {
  test('has an id that nobody can guess, in visible ASCII (H11-01)', async () => {
    const { url } = await endpoint(() => echoServer())
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await openSession(url))['Mcp-Session-Id']))
    expect(new Set(ids).size).toBe(5)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  })

  test.each([
    { what: 'a call', request: { body: callOf('echo') } },
    { what: 'a notification', request: { body: { jsonrpc: '2.0', method: 'notifications/initialized' } } },
    { what: 'an answer', request: { body: { jsonrpc: '2.0', id: 1, result: {} } } },
    { what: 'a stream', request: { method: 'GET' } },
    { what: 'its end', request: { method: 'DELETE' } },
  ])('is needed for $what: none 400, unknown 404 (H11-02)', async ({ request }) => {
    const { url } = await endpoint(() => echoServer())
    expect((await send(url, request)).status).toBe(400)
    expect((await send(url, { ...request, headers: { 'Mcp-Session-Id': 'unknown' } })).status).toBe(404)
  })

  test('ends when its client deletes it; 404 afterwards (H11-02, H11-03)', async () => {
    const { url, serving } = await endpoint(() => echoServer())
    const headers = await openSession(url)

    expect((await send(url, { method: 'DELETE', headers })).status).toBe(200)
    expect((await send(url, { body: callOf('echo', { text: 'hi' }), headers })).status).toBe(404)
    expect((await send(url, { method: 'GET', headers })).status).toBe(404)
    expect(serving.sessions).toBe(0)
  })

  test.each([
    { name: 'SDK 1.32', connect: oldClient },
    { name: 'SDK 2.4', connect: legacyClient },
  ])('that $name ended is gone (H11-03)', async ({ connect }) => {
    const { url, serving } = await endpoint(() => echoServer())
    const client = await connect(url)
    expect(serving.sessions).toBe(1)
    await client.endSession()
    expect(serving.sessions).toBe(0)
  })

  test('tells the server that was built for it when it ends, whichever way', async () => {
    const contexts: ServingContext[] = []
    const clock = fixedClock()
    const { url, serving } = await endpoint(
      (context) => {
        contexts.push(context)
        return echoServer()
      },
      () => ({ clock }),
    )
    const headers = await openSession(url)
    await openSession(url)
    const [deleted, expired] = contexts.map(({ session }) => session)
    expect(deleted?.id).toBe(headers['Mcp-Session-Id'])

    await send(url, { method: 'DELETE', headers })
    expect([deleted?.closed.aborted, expired?.closed.aborted]).toEqual([true, false])
    clock.advance(minutes(31))
    expect(expired?.closed.aborted).toBe(true)

    await openSession(url)
    await serving.close()
    expect(contexts[2]?.session?.closed.aborted).toBe(true)
    expect((await send(url, { body: initialize })).status).toBe(503)
  })

  test('is not opened by an initialize that is refused, or a factory that fails', async () => {
    let isBroken = false
    const { url, serving } = await endpoint(() => {
      if (isBroken) throw new Error('planted: broken factory')
      return echoServer()
    })
    expect((await send(url, { body: initialize, headers: { Accept: 'text/html' } })).status).toBe(406)
    isBroken = true
    const failed = await send(url, { body: initialize })
    expect(failed.status).toBe(500)
    expect(await failed.text()).not.toContain('planted')
    expect(serving.sessions).toBe(0)
  })

  test('refuses a second initialize and a bad protocol version (H11-09)', async () => {
    const { url } = await endpoint(() => echoServer())
    const headers = await openSession(url)
    expect((await send(url, { body: initialize, headers })).status).toBe(400)
    const old = { ...headers, 'MCP-Protocol-Version': '1999-01-01' }
    expect((await send(url, { body: callOf('echo', { text: 'hi' }), headers: old })).status).toBe(400)
  })
})

describe('idle sessions', () => {
  test('expire after half an hour without use (H11-02)', async () => {
    const clock = fixedClock()
    const { url, serving } = await endpoint(
      () => echoServer(),
      () => ({ clock }),
    )
    const headers = await openSession(url)
    const call = async () => (await send(url, { body: callOf('echo', { text: 'hi' }), headers })).status

    clock.advance(minutes(29))
    expect(await call()).toBe(200)
    clock.advance(minutes(29))
    expect(await call()).toBe(200)
    clock.advance(minutes(33))
    expect(serving.sessions).toBe(0)
    expect(await call()).toBe(404)
  })

  test('a session with an open stream is not idle; once the stream is gone it is (H11-05)', async () => {
    const clock = fixedClock()
    const { url, serving } = await endpoint(
      () => echoServer(),
      () => ({ clock, sessionIdle: '10m' }),
    )
    const headers = await openSession(url)
    const leave = new AbortController()
    const stream = await send(url, { method: 'GET', headers, signal: leave.signal })
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')

    clock.advance(minutes(60))
    expect(serving.sessions).toBe(1)
    leave.abort()
    await expect
      .poll(() => {
        clock.advance(minutes(11))
        return serving.sessions
      })
      .toBe(0)
  })

  test('a session that works on a call is not idle, even when its client is away (H11-07)', async () => {
    const clock = fixedClock()
    const { factory, release } = heldServer()
    const { url, serving } = await endpoint(factory, () => ({ clock, sessionIdle: '10m' }))
    const headers = await openSession(url)
    const leave = new AbortController()
    await send(url, { body: callOf('hold'), headers, signal: leave.signal })
    leave.abort()

    clock.advance(minutes(60))
    expect(serving.sessions).toBe(1)
    release()
    await expect
      .poll(() => {
        clock.advance(minutes(11))
        return serving.sessions
      })
      .toBe(0)
  })

  test('a cancelled call does not keep its session', async () => {
    const clock = fixedClock()
    const { factory } = heldServer()
    const { url, serving } = await endpoint(factory, () => ({ clock, sessionIdle: '10m' }))
    const headers = await openSession(url)
    await send(url, { body: callOf('hold', {}, 7), headers })
    await send(url, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, headers })

    clock.advance(minutes(22))
    expect(serving.sessions).toBe(0)
  })
})

describe('the cap', () => {
  test('over it, the longest idle session makes room', async () => {
    const { url, serving } = await endpoint(
      () => echoServer(),
      () => ({ limits: { sessions: 3 } }),
    )
    const [first, second] = [await openSession(url), await openSession(url), await openSession(url)]
    await send(url, { body: callOf('echo', { text: 'hi' }), headers: first })
    await openSession(url)

    expect(serving.sessions).toBe(3)
    const ping = (headers: object) =>
      send(url, { body: { jsonrpc: '2.0', id: 1, method: 'ping' }, headers: { ...headers } })
    expect((await ping(first)).status).toBe(200)
    expect((await ping(second)).status).toBe(404)
  })

  test('a session that works for somebody never makes room: 503, and when to come again', async () => {
    const { factory, release } = heldServer()
    const { url } = await endpoint(factory, () => ({ limits: { sessions: 1 } }))
    const headers = await openSession(url)
    const call = await send(url, { body: callOf('hold'), headers })

    const refused = await send(url, { body: initialize })
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('30')
    release()
    expect(await call.text()).toContain('let go')
    expect((await send(url, { body: initialize })).status).toBe(200)
  })

  test('a session that is being opened is not pushed out by the next', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { url, serving } = await endpoint(
      async () => {
        await held
        return echoServer()
      },
      () => ({ limits: { sessions: 2 } }),
    )
    const opened: number[] = []
    const opening = Array.from({ length: 6 }, async () => opened.push((await send(url, { body: initialize })).status))
    await expect.poll(() => opened).toEqual([503, 503, 503, 503])
    release()
    await Promise.all(opening)
    expect(opened).toEqual([503, 503, 503, 503, 200, 200])
    expect(serving.sessions).toBe(2)
  })

  test('many who come at once do not pass it', async () => {
    const { url, serving } = await endpoint(
      () => echoServer(),
      () => ({ limits: { sessions: 5 } }),
    )
    await Promise.all(Array.from({ length: 30 }, () => send(url, { body: initialize })))
    expect(serving.sessions).toBeLessThanOrEqual(5)
  })
})

describe('streams', () => {
  test('a broken stream is resumed where it broke, with nothing of another stream (H11-07, H11-08)', async () => {
    const { factory, release } = heldServer()
    const { url } = await endpoint(factory)
    const headers = { ...(await openSession(url)), 'MCP-Protocol-Version': '2025-11-25' }
    const leave = new AbortController()
    const call = await send(url, { body: callOf('hold', {}, 1), headers, signal: leave.signal })
    const reader = call.body?.getReader()
    const opening = new TextDecoder().decode((await reader?.read())?.value)
    const lastId = /id: (\S+)/.exec(opening)?.[1] ?? ''
    leave.abort()
    await reader?.closed.catch(() => {})
    await (await send(url, { body: callOf('echo', { text: 'of another stream' }, 2), headers })).text()
    release()

    let resumed = ''
    await expect
      .poll(async () => {
        const response = await send(url, { method: 'GET', headers: { ...headers, 'Last-Event-ID': lastId } })
        resumed = await response.text()
        return resumed
      })
      .toContain('let go')
    expect(resumed).not.toContain('another stream')
  })

  test('a second stream beside an open one is refused, and so is an event id that is none (H11-06, H11-08)', async () => {
    const { url } = await endpoint(() => echoServer())
    const headers = await openSession(url)
    const leave = new AbortController()
    await send(url, { method: 'GET', headers, signal: leave.signal })
    expect((await send(url, { method: 'GET', headers })).status).toBe(409)
    expect((await send(url, { method: 'GET', headers: { ...headers, 'Last-Event-ID': '../../x' } })).status).toBe(400)
    leave.abort()
  })
})
