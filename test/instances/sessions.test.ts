import { expect, test } from 'vitest'
import { sessionKeyOf } from '../../src/mcp/http/session/sharing.ts'
import { connect11, connectOld } from '../support/asking/asking-clients.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { serverStores, sharedStores } from '../support/stores.ts'
import { balanced } from './balanced.ts'

const initialize = (more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
    ...more,
  },
})
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }

interface Sent {
  readonly session?: string
  readonly token?: string
  readonly method?: string
  readonly headers?: Record<string, string>
}

function post(url: URL, body: object | undefined, { session, token, method = 'POST', headers = {} }: Sent = {}) {
  return fetch(url, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(body && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

async function begin(url: URL, sent: Sent = {}, more: object = {}): Promise<string> {
  const response = await post(url, initialize(more), sent)
  await response.text()
  return response.headers.get('mcp-session-id') ?? ''
}

const statusOf = async (sending: Promise<Response>) => {
  const response = await sending
  await response.text()
  return response.status
}

test.each(Object.entries(sharedStores))('a session ended at one instance ends at all, on %s', async (_, freshStore) => {
  const { instances } = await balanced(await freshStore(), { up: await askingUpstreams['2025 over HTTP']() })
  const [a, b, c] = instances
  const session = await begin(a.url)
  for (const { url } of instances) expect(await statusOf(post(url, list, { session }))).toBe(200)
  expect(await statusOf(post(b.url, undefined, { session, method: 'DELETE' }))).toBe(200)
  expect(await statusOf(post(b.url, list, { session }))).toBe(404)
  await expect.poll(() => statusOf(post(a.url, list, { session })), { timeout: 5_000 }).toBe(404)
  await expect.poll(() => statusOf(post(c.url, list, { session })), { timeout: 5_000 }).toBe(404)
  // An instance that never served it does not rebuild it.
  expect(a.gateway.sessions + b.gateway.sessions + c.gateway.sessions).toBe(0)
  expect(await statusOf(post(c.url, undefined, { session, method: 'DELETE' }))).toBe(404)
})

test('a session that was ended while an instance seemed gone ends there too, with what it has in progress', async () => {
  const { instances } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2025 over HTTP'](),
  })
  const [a, b] = instances
  const session = await begin(a.url, {}, { capabilities: { elicitation: { form: {} } } })
  const call = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'up__build', arguments: {} } }
  const calling = (await post(b.url, call, { session })).text()
  const store = b.assent.store.instances
  const { announce } = store
  Object.assign(store, { announce: () => Promise.reject(new Error('the store is too slow')) })
  await expect.poll(() => a.gateway.post.isThere(b.gateway.instance)).toBe(false)
  expect(await statusOf(post(a.url, undefined, { session, method: 'DELETE' }))).toBe(200)
  Object.assign(store, { announce })
  expect(await calling).toContain('The server ended this')
  expect(await statusOf(post(b.url, list, { session }))).toBe(404)
})

test('a session goes on after its gateway was restarted', async () => {
  const store = await (sharedStores.sqlite as () => Promise<string>)()
  const upstream = await askingUpstreams['2025 over HTTP']()
  const before = await gated({ up: upstream }, { assentOptions: { store } })
  const session = await begin(before.url)
  await before.gateway.close()
  await before.assent.close()
  const after = await gated({ up: upstream }, { assentOptions: { store } })
  expect(await statusOf(post(after.url, list, { session }))).toBe(200)
})

test('attack: the id of a session is used by another participant, at every instance', async () => {
  const { instances } = await balanced(
    await (serverStores.redis as () => Promise<string>)(),
    { up: await askingUpstreams['2025 over HTTP']() },
    { withLogin: true },
  )
  const [a, b, c] = instances
  const session = await begin(a.url, { token: 'alice/desk' })
  for (const { url } of [a, b, c]) {
    expect(await statusOf(post(url, list, { session, token: 'bob/desk' }))).toBe(404)
    expect(await statusOf(post(url, undefined, { session, token: 'bob/desk', method: 'DELETE' }))).toBe(404)
    expect(await statusOf(post(url, list, { session }))).toBe(401)
  }
  expect(await statusOf(post(b.url, list, { session, token: 'alice/desk' }))).toBe(200)
})

test('attack: a page of another host uses the id of a session at an instance that never saw it', async () => {
  const { instances } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2025 over HTTP'](),
  })
  const [a, b] = instances
  const session = await begin(a.url)
  expect(await statusOf(post(b.url, list, { session, headers: { origin: 'https://evil.example' } }))).toBe(403)
  expect(b.gateway.sessions).toBe(0)
})

test('attack: an id that was changed, made up, or made for another address of the gateway opens nothing', async () => {
  const { instances } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2025 over HTTP'](),
  })
  const [a, b] = instances
  const session = await begin(a.url)
  const swapped = session.at(-5) === 'A' ? 'B' : 'A'
  const changed = `${session.slice(0, -5)}${swapped}${session.slice(-4)}`
  for (const id of [changed, 'made-up', `${session.split('~')[0]}~`, session.split('~')[1] ?? '']) {
    expect(await statusOf(post(b.url, list, { session: id }))).toBe(404)
  }
  expect(await statusOf(post(new URL(`${b.url.href}/up`), list, { session }))).toBe(404)
})

test('a client that says too much of itself for an id is still served, by the instance that it began with', async () => {
  const { instances } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2025 over HTTP'](),
  })
  const [a, b] = instances
  // What decides nothing is left out of the id.
  const chatty = await begin(a.url, {}, { capabilities: { experimental: { x: { text: 'x'.repeat(5_000) } } } })
  expect(chatty.length).toBeLessThan(5_000)
  expect(await statusOf(post(b.url, list, { session: chatty }))).toBe(200)
  const long = await begin(a.url, {}, { clientInfo: { name: 'n'.repeat(5_000), version: '1' } })
  expect(await statusOf(post(a.url, list, { session: long }))).toBe(200)
  expect(await statusOf(post(b.url, list, { session: long }))).toBe(404)
})

test('the sessions of one participant are limited at each instance, also those that began elsewhere', async () => {
  const { instances } = await balanced(
    await (serverStores.redis as () => Promise<string>)(),
    { up: await askingUpstreams['2025 over HTTP']() },
    { withLogin: true, http: { limits: { sessionsPerOwner: 2 } } },
  )
  const [a, b] = instances
  const ids: string[] = []
  for (let n = 0; n < 4; n++) ids.push(await begin(a.url, { token: 'alice/desk' }))
  for (const session of ids) expect(await statusOf(post(b.url, list, { session, token: 'alice/desk' }))).toBe(200)
  expect(a.gateway.sessions).toBe(2)
  expect(b.gateway.sessions).toBe(2)
})

test('attack: an answer is posted on another session than the one that was asked', async () => {
  const { instances, balancer, connect } = await balanced(await (serverStores.redis as () => Promise<string>)(), {
    up: await askingUpstreams['2025 over HTTP'](),
  })
  const [, b] = instances
  const client = await connect(connect11)
  let answer = (_: string) => {}
  const released = new Promise<string>((resolve) => {
    answer = resolve
  })
  client.answers(async () => ({ action: 'accept', content: { branch: await released } }))
  balancer.next(0)
  const calling = client.call('up__build')
  await expect.poll(() => client.asked.length).toBe(1)
  const [id] = [...client.received().matchAll(/\\?"id\\?":\\?"([^"\\]+~[^"\\]+)\\?"/g)].map((found) => found[1] ?? '')
  expect(id).toMatch(/~/)
  const other = await begin(b.url)
  const forged = { jsonrpc: '2.0', id, result: { action: 'accept', content: { branch: 'forged' } } }
  await statusOf(post(b.url, forged, { session: other }))
  answer('mine')
  expect((await calling).text).toBe('built mine')
})

test('attack: a late answer does not count for what is asked after the session was rebuilt', async () => {
  const store = await (sharedStores.sqlite as () => Promise<string>)()
  const up = await askingUpstreams['2025 over HTTP']()
  const { url } = await gated({ up }, { assentOptions: { store }, http: { limits: { sessions: 1 } } })
  const forms = { capabilities: { elicitation: {} } }
  const session = await begin(url, {}, forms)
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
  await statusOf(post(url, initialized, { session }))

  /** Calls a tool that asks. Returns under which id it asked, and the rest of its answer. */
  async function build(id: number) {
    const params = { name: 'up__build', arguments: { n: id } }
    const { body } = await post(url, { jsonrpc: '2.0', id, method: 'tools/call', params }, { session })
    const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream() as never).getReader()
    let heard = ''
    const until = async (words: RegExp) => {
      while (!words.test(heard)) heard += (await reader.read()).value ?? '(the end)'
      return heard
    }
    const asked = await until(/elicitation\/create[^\n]*\n\n|\(the end\)/)
    return { asked: /"id":"([^"]+~[^"]+)"/.exec(asked)?.[1], until }
  }
  const answer = (id: string | undefined, branch: string) =>
    statusOf(post(url, { jsonrpc: '2.0', id, result: { action: 'accept', content: { branch } } }, { session }))

  const first = await build(5)
  expect(first.asked).toBeDefined()
  await statusOf(
    post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, { session }),
  )
  // Another session takes its room, and it is rebuilt by the next call.
  await begin(url)
  const second = await build(6)
  expect(second.asked).toBeDefined()
  await answer(first.asked, 'of before')
  await answer(second.asked, 'of now')
  expect(await second.until(/built|\(the end\)/)).toContain('built of now')
})

test.each(Object.entries(serverStores))(
  'a call that runs at one instance is cancelled by a message that reaches another, on %s',
  async (_, freshStore) => {
    const { balancer, connect } = await balanced(await freshStore(), { up: await askingUpstreams['2025 over HTTP']() })
    const client = await connect(connectOld)
    client.answers(
      (_asked, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('withdrawn')))),
    )
    const stopping = new AbortController()
    const calling = client.call('up__build', {}, { signal: stopping.signal }).catch(() => 'cancelled')
    await expect.poll(() => client.asked.length).toBe(1)
    const before = balancer.sent.at(-1)?.at ?? 0
    balancer.next(before + 1)
    stopping.abort()
    expect(await calling).toBe('cancelled')
    // The question is withdrawn at the client, so the call is over at the instance that ran it.
    await expect.poll(() => client.received().includes('notifications/cancelled'), { timeout: 5_000 }).toBe(true)
  },
)

test('a log level that is set at one instance counts at all', async () => {
  const store = await (serverStores.redis as () => Promise<string>)()
  const { instances } = await balanced(store, { up: await askingUpstreams['2026 over HTTP']() })
  const [a, b] = instances
  const session = await begin(a.url)
  await statusOf(post(b.url, list, { session }))
  const level = { jsonrpc: '2.0', id: 3, method: 'logging/setLevel', params: { level: 'error' } }
  const response = await post(a.url, level, { session })
  const told = await response.text()
  expect(told).toContain('"result"')
  expect((await a.assent.store.sessions.get(sessionKeyOf(session)))?.level).toBe('error')
})
