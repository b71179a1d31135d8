import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { BadArgument } from '../../../src/base/errors.ts'
import { serveHttp } from '../../../src/mcp/http/serve.ts'
import {
  callOf,
  echoServer,
  endpoint,
  initialize,
  modernCall,
  openSession,
  send,
} from '../../support/server/endpoint.ts'

/** fetch does not let one choose the Host. */
function sendAs(url: URL, host: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { body, headers: modern } = modernCall('echo', { text: 'hi' })
    const usual = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const sent = httpRequest(url, { method: 'POST', headers: { ...usual, ...modern, ...headers, Host: host } })
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
    sent.end(JSON.stringify(body))
  })
}

const inBothEras = [
  { era: '2025', request: { body: initialize } },
  { era: '2026', request: modernCall('echo', { text: 'hi' }) },
]

/** A request as bytes, for what no client would send. Gives back the first line of the answer. */
function sendRaw(url: URL, lines: readonly string[], body = ''): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(url.port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`))
    socket.on('data', (chunk) => {
      text += chunk
      if (text.includes('\r\n')) socket.destroy()
    })
    socket.on('close', () => resolve(text.split('\r\n')[0])).on('error', reject)
  })
}

test('attack: a request of HTTP/1.0 without a Host is served as localhost', async () => {
  const { url } = await endpoint(() => echoServer())
  const { body, headers } = modernCall('echo', { text: 'hi' })
  const text = JSON.stringify(body)
  const lines = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  expect(await sendRaw(url, ['POST /mcp HTTP/1.0', ...lines], text)).toBe('HTTP/1.1 400 Bad Request')
  expect(await sendRaw(url, ['POST /mcp HTTP/1.0', 'Host: evil.example', ...lines], text)).toContain('403')
  expect(await sendRaw(url, ['POST /mcp HTTP/1.0', 'Host: localhost', ...lines], text)).toContain('200')
})

describe('attacks through a browser', () => {
  test.each(inBothEras)('a bad Origin alone is refused, on $era (H26-01, H11-10)', async ({ request }) => {
    const { url } = await endpoint(() => echoServer())
    const from = async (origin?: string) =>
      (
        await send(url, {
          ...request,
          headers: { ...('headers' in request && request.headers), ...(origin && { Origin: origin }) },
        })
      ).status

    expect(await from('https://evil.example')).toBe(403)
    expect(await from('null')).toBe(403)
    expect(await from('http://localhost.evil.example')).toBe(403)
    expect(await from('http://localhost:5173')).toBe(200)
    expect(await from()).toBe(200)
  })

  test('a stream and an end from a bad Origin are refused too (H11-10)', async () => {
    const { url } = await endpoint(() => echoServer())
    const headers = { ...(await openSession(url)), Origin: 'https://evil.example' }
    expect((await send(url, { method: 'GET', headers })).status).toBe(403)
    expect((await send(url, { method: 'DELETE', headers })).status).toBe(403)
  })

  test('a foreign name for this machine is refused (H26-01)', async () => {
    const { url } = await endpoint(() => echoServer())
    expect(await sendAs(url, 'evil.example')).toBe(403)
    expect(await sendAs(url, `evil.example:${url.port}`)).toBe(403)
    expect(await sendAs(url, 'not a host')).toBe(400)
    expect(await sendAs(url, `localhost:${url.port}`)).toBe(200)
  })

  test('no page gets leave to call us: OPTIONS is 405 and nothing allows an origin', async () => {
    const { url } = await endpoint(() => echoServer())
    const preflight = await send(url, { method: 'OPTIONS', headers: { Origin: 'http://localhost:5173' } })
    expect(preflight.status).toBe(405)
    expect(preflight.headers.get('allow')).toBe('GET, POST, DELETE')
    const call = await send(url, { ...modernCall('echo', { text: 'hi' }) })
    expect(call.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('without login only this machine is served', () => {
  test('what a proxy passed on is refused, whatever it calls us', async () => {
    const { url } = await endpoint(() => echoServer())
    expect(await sendAs(url, 'localhost', { 'X-Forwarded-For': '203.0.113.7' })).toBe(403)
    expect(await sendAs(url, 'localhost', { Forwarded: 'for=203.0.113.7' })).toBe(403)
  })

  test('public host names and scopes need a login', () => {
    expect(() => serveHttp(() => echoServer(), { allowedHosts: ['assent.example.com'] })).toThrow(BadArgument)
    expect(() => serveHttp(() => echoServer(), { requiredScopes: ['read'] })).toThrow(BadArgument)
  })
})

describe('what is not MCP', () => {
  test.each(['PUT', 'PATCH', 'HEAD'])('%s is 405', async (method) => {
    const { url } = await endpoint(() => echoServer())
    expect((await send(url, { method })).status).toBe(405)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])('%s is 415', async (type) => {
    const { url } = await endpoint(() => echoServer())
    expect((await send(url, { body: initialize, headers: { 'Content-Type': type } })).status).toBe(415)
  })

  test.each(['', '{', 'not json', '{"jsonrpc":"2.0",}'])('the body %j is a parse error', async (body) => {
    const { url } = await endpoint(() => echoServer())
    const response = await send(url, { body })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { code: -32_700 }, id: null })
  })

  test.each([null, 7, 'text', [], [7], {}, { jsonrpc: '1.0', id: 1, method: 'ping' }])(
    'the JSON %j is no message (H26-07)',
    async (body) => {
      const { url } = await endpoint(() => echoServer())
      const response = await send(url, { body: JSON.stringify(body) })
      expect(response.status).toBe(400)
    },
  )

  test('any other well-known place is not found', async () => {
    const { url } = await endpoint(() => echoServer())
    expect((await fetch(new URL('/.well-known/oauth-authorization-server', url))).status).toBe(404)
    expect((await fetch(new URL('/.well-known/oauth-protected-resource', url))).status).toBe(404)
  })

  test('a request that only Node can hold is refused, and the server goes on', async () => {
    const { url } = await endpoint(() => echoServer())
    const first = await new Promise<string>((resolve) => {
      const socket = connect(Number(url.port), '127.0.0.1', () => {
        socket.write(`TRACE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
      })
      socket.once('data', (data) => resolve(data.toString().split('\r\n')[0] ?? ''))
    })
    expect(first).toContain('400')
    expect((await send(url, { body: initialize })).status).toBe(200)
  })
})

describe('bodies', () => {
  const limited = () =>
    endpoint(
      () => echoServer(),
      () => ({ limits: { bodyBytes: 1_000 } }),
    )
  const large = JSON.stringify(callOf('echo', { text: 'x'.repeat(1_000) }))

  test('of the size that is allowed pass, larger ones are 413', async () => {
    const { url } = await limited()
    expect((await send(url, { body: initialize })).status).toBe(200)
    expect((await send(url, { body: large })).status).toBe(413)
  })

  test('that do not say their size are counted while they come', async () => {
    const { url } = await limited()
    const pieces = new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('x'.repeat(600)))
      },
    })
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: pieces,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test('are limited by the web face as well', async () => {
    const serving = serveHttp(() => echoServer(), { limits: { bodyBytes: 1_000 } })
    const headers = { 'Content-Type': 'application/json', Host: 'localhost' }
    const request = new Request('http://localhost/mcp', { method: 'POST', body: large, headers })
    expect((await serving.fetch(request)).status).toBe(413)
  })
})
