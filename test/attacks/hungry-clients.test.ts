import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rawCall } from '../support/asking/asking-raw.ts'
import { type GatedOptions, gated } from '../support/gateway/gateways.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { initialize } from '../support/server/endpoint.ts'
import { promised, until } from '../support/server/servers.ts'

const megabyte = 1_048_576
/** More than the system keeps for a connection whose other end does not read. */
const longText = 12 * megabyte

/** A gateway with a login, in front of a tool that echoes, one that answers at length, and one that waits. */
async function shared(options: GatedOptions = {}) {
  const held = promised()
  const upstream = await plainUpstream(
    '2026',
    async ({ method, params }) => {
      if (method !== 'tools/call') return undefined
      if (params.name === 'wait') await held.promise
      return done(params.name === 'long' ? 'x'.repeat(longText) : 'echoed')
    },
    [{ name: 'echo' }, { name: 'long' }, { name: 'wait' }],
  )
  const made = await gated({ up: { url: upstream.url } }, { withLogin: true, ...options })
  onTestFinished(() => held.keep())
  const call = (token: string, name = 'echo', given: Record<string, unknown> = {}) =>
    rawCall(made.url, { name: `up__${name}`, token, arguments: given })
  const echo = async (token: string) => (await call(token)).result?.content?.[0]?.text
  return { ...made, call, echo, upstream, release: held.keep }
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly text: string
}

/** Sends a body as it is. */
function post(url: URL, token: string, body: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${token}`,
        ...headers,
      },
    })
    sent.on('response', (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends the head of a request and part of its body, and then nothing more. */
async function halfSent(
  { hostname, port }: URL,
  token: string,
  bytes: number,
): Promise<{ socket: Socket; heard: () => string }> {
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer ${token}\r\nContent-Length: 4000000\r\n\r\n`,
  )
  socket.write('x'.repeat(bytes))
  return { socket, heard: () => heard }
}

describe('bodies in flight', () => {
  test('forty calls at once of 3.9 MB of empty objects are refused before they are parsed, and others are served', async () => {
    const { url, echo } = await shared()
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"up__echo","arguments":{"all":[${'{},'.repeat(1_300_000)}{}]}}}`
    const before = process.memoryUsage().heapUsed
    const greedy = Array.from({ length: 40 }, () => post(url, 'greedy/desk', body).catch(() => undefined))
    expect(await echo('honest/desk')).toBe('echoed')
    const answers = await Promise.all(greedy)
    for (const answer of answers) expect([undefined, 413, 503]).toContain(answer?.status)
    const refused = answers.find((answer) => answer?.status === 413)
    expect(JSON.parse(refused?.text ?? '{}').error).toEqual({
      code: -32_600,
      message: 'The body holds more than 200000 JSON values',
    })
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(400 * megabyte)
    expect(await echo('greedy/desk')).toBe('echoed')
  })

  test('half-sent bodies of one requester fill their own part, are ended in time, and keep nobody else out', async () => {
    const limits = { inFlightBytes: 32 * megabyte, inFlightBytesPerRequester: 8 * megabyte }
    const { url, echo } = await shared({ http: { limits, bodyTime: '2s' } })
    const halves = await Promise.all(Array.from({ length: 10 }, () => halfSent(url, 'greedy/desk', 3 * megabyte)))
    await until(() => halves.filter(({ heard }) => heard().startsWith('HTTP/1.1 503')).length >= 8)
    const refused = halves.find(({ heard }) => heard().startsWith('HTTP/1.1 503'))
    expect(refused?.heard()).toMatch(/Retry-After: 2/i)
    expect(refused?.heard()).toContain('Too much is in flight')
    expect(await echo('honest/desk')).toBe('echoed')
    await until(() => halves.every(({ heard }) => /^HTTP\/1\.1 (408|503)/.test(heard())))
    expect(halves.some(({ heard }) => heard().includes('did not arrive within 2000 ms'))).toBe(true)
    await until(async () => (await echo('greedy/desk')) === 'echoed')
  })

  test('many greedy requesters together leave room for the small request of another', async () => {
    const limits = { inFlightBytes: 32 * megabyte, inFlightBytesPerRequester: 8 * megabyte }
    const { url, echo } = await shared({ http: { limits } })
    const halves = await Promise.all(
      Array.from({ length: 20 }, (_, n) => halfSent(url, `greedy-${n}/desk`, 3 * megabyte)),
    )
    await until(() => halves.some(({ heard }) => heard().startsWith('HTTP/1.1 503')))
    for (let n = 0; n < 5; n += 1) expect(await echo(`honest-${n}/desk`)).toBe('echoed')
  })

  test('calls that wait count until they are answered, also if their client of 2025 is gone', async () => {
    const limits = { inFlightBytes: 16 * megabyte, inFlightBytesPerRequester: 2 * megabyte }
    const { url, echo, release } = await shared({ http: { limits } })
    const opened = await post(url, 'greedy/desk', JSON.stringify(initialize))
    const session = { 'Mcp-Session-Id': String(opened.headers['mcp-session-id']), 'MCP-Protocol-Version': '2025-11-25' }
    await post(url, 'greedy/desk', '{"jsonrpc":"2.0","method":"notifications/initialized"}', session)
    const waiting = (id: number) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'up__wait', arguments: { text: 'x'.repeat(900_000) } },
      })
    // Each client goes away as soon as its call was sent.
    for (const id of [1, 2]) {
      const sent = request(url, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          Authorization: 'Bearer greedy/desk',
          ...session,
        },
      })
      sent.on('error', () => {})
      sent.end(waiting(id))
      await new Promise((resolve) => setTimeout(resolve, 300))
      sent.destroy()
    }
    await until(async () => (await post(url, 'greedy/desk', waiting(3), session)).status === 503)
    expect(await echo('honest/desk')).toBe('echoed')
    release()
    await until(async () => (await post(url, 'greedy/desk', waiting(4), session)).status === 200)
  })

  test('a session is not opened for a client that says too much of itself', async () => {
    const { url, gateway } = await shared()
    const clientInfo = { name: 'greedy', version: '1', more: 'x'.repeat(300_000) }
    const body = JSON.stringify({ ...initialize, params: { ...initialize.params, clientInfo } })
    const { status, text } = await post(url, 'greedy/desk', body)
    expect(status).toBe(413)
    expect(JSON.parse(text).error.message).toContain('says too much about the client')
    expect(gateway.sessions).toBe(0)
  })
})

describe('answers', () => {
  /** Calls the long tool, and reads its answer only when told to. */
  function unread(url: URL, token: string) {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: `Bearer ${token}`,
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'up__long',
      },
    })
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'slow', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name: 'up__long', arguments: {}, _meta }
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    onTestFinished(() => void sent.destroy())
    const answered = new Promise<IncomingMessage>((resolve) =>
      sent.on('response', (response) => resolve(response.pause())),
    )
    sent.on('error', () => {})
    return {
      answered,
      async read(): Promise<'whole' | 'cut'> {
        const response = await answered
        return new Promise((resolve) => {
          response
            .on('end', () => resolve('whole'))
            .on('error', () => resolve('cut'))
            .on('aborted', () => resolve('cut'))
          response.resume()
        })
      },
    }
  }

  test('that a client does not read are cut off, the oldest first, and others get theirs', async () => {
    const limits = { unreadBytes: 64 * megabyte, unreadBytesPerRequester: 30 * megabyte }
    const upstreamLimits = { messageBytes: 16 * megabyte }
    // The server may send all answers at once.
    const ofServers = { serverBytes: 1_000 * megabyte, serverBytesEach: 500 * megabyte }
    const { url, call } = await shared({ http: { limits }, upstreamLimits, limits: ofServers })
    const greedy = Array.from({ length: 8 }, () => unread(url, 'greedy/desk'))
    await Promise.all(greedy.map(({ answered }) => answered))
    const honest = await call('honest/desk', 'long')
    expect(honest.result?.content?.[0]?.text).toHaveLength(longText)
    const ends = await Promise.all(greedy.map(({ read }) => read()))
    expect(ends.filter((end) => end === 'cut').length).toBeGreaterThanOrEqual(3)
    expect(ends).toContain('whole')
  })
})

describe('sessions', () => {
  const open = async (url: URL, token: string) =>
    (await post(url, token, JSON.stringify(initialize))).headers['mcp-session-id'] as string | undefined
  const ping = async (url: URL, token: string, session: string | undefined) =>
    (
      await post(url, token, '{"jsonrpc":"2.0","id":9,"method":"ping"}', {
        'Mcp-Session-Id': session ?? '',
        'MCP-Protocol-Version': '2025-11-25',
      })
    ).status

  test('of one person, however many, end their own and nobody else’s', async () => {
    const { url, gateway } = await shared({ http: { limits: { sessions: 30, sessionsPerOwner: 10 } } })
    const honest = await open(url, 'honest/desk')
    const first = await open(url, 'greedy/desk')
    for (let count = 0; count < 100; count += 1) expect(await open(url, 'greedy/desk')).toBeDefined()
    expect(gateway.sessions).toBe(11)
    expect(await ping(url, 'honest/desk', honest)).toBe(200)
    // A session that was pushed out comes back when it is used, in the place of another of its person.
    expect(await ping(url, 'greedy/desk', first)).toBe(200)
    expect(gateway.sessions).toBe(11)
    expect(await ping(url, 'greedy/desk', honest)).toBe(404)
  })

  test('of one person count at all addresses of the gateway together', async () => {
    const { url, gateway } = await shared({ http: { limits: { sessions: 30, sessionsPerOwner: 4 } } })
    for (const at of [url, new URL(`${url.href}/up`), url, new URL(`${url.href}/up`)]) {
      for (let count = 0; count < 3; count += 1) await open(at, 'greedy/desk')
    }
    expect(gateway.sessions).toBe(4)
  })

  test('of many persons: when all are taken, the one with most makes room', async () => {
    const { url } = await shared({ http: { limits: { sessions: 6, sessionsPerOwner: 4 } } })
    const honest = await open(url, 'honest/desk')
    for (let count = 0; count < 4; count += 1) await open(url, 'greedy/desk')
    await open(url, 'third/desk')
    expect(await open(url, 'fourth/desk')).toBeDefined()
    expect(await ping(url, 'honest/desk', honest)).toBe(200)
  })

  test('that are all in use are not closed: the next one of this person is refused, with when to come again', async () => {
    const { url } = await shared({ http: { limits: { sessionsPerOwner: 1 } } })
    const session = await open(url, 'greedy/desk')
    const stream = request(url, {
      method: 'GET',
      headers: { Accept: 'text/event-stream', Authorization: 'Bearer greedy/desk', 'Mcp-Session-Id': session ?? '' },
    }).end()
    onTestFinished(() => void stream.destroy())
    stream.on('error', () => {})
    await once(stream, 'response')
    const refused = await post(url, 'greedy/desk', JSON.stringify(initialize))
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('30')
    expect(await open(url, 'honest/desk')).toBeDefined()
  })
})
