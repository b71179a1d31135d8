import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { envelope, type Heard, type RawParticipant, request, startHub } from '../support/hub/hub.ts'

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b' },
  'agent-c': { kind: 'agent', token: 'c', may: ['*'], asks: 'itself' },
  watcher: { kind: 'robot', token: 'w', may: ['observe'] },
}
const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const
const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const isError = (code: string) => (heard: Heard) => heard.payload?.code === code
const isAnswer = (id: string | number) => (heard: Heard) =>
  heard.payload?.id === id && heard.payload.method === undefined
const asked = isMethod('elicitation/create')
const form = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
const question = (id: string, params: object = {}) =>
  envelope(
    'agent-c',
    ['user-1'],
    request(id, 'elicitation/create', { message: 'Go on?', requestedSchema: form, ...params }),
  )
const says = (id: string, body: object) => envelope('user-1', ['agent-c'], { jsonrpc: '2.0', id, ...body })

/** Answers `tools/list` of the hub page by page. */
function listsPages(agent: RawParticipant, pages: readonly string[]): void {
  agent.socket.on('message', (data) => {
    const { payload } = JSON.parse(String(data)) as Heard
    if (payload?.method !== 'tools/list') return
    const page = Number(payload.params.cursor ?? 0)
    const nextCursor = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {}
    const result = { tools: [{ name: pages[page], inputSchema: { type: 'object' } }], ...nextCursor }
    agent.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result }))
  })
}

test('a tool on a later page of the list is found', async () => {
  const { raw } = await startHub({ participants })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  listsPages(b, ['read', 'wipe'])
  a.send(envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'wipe' })))
  expect((await user.hears(asked)).payload.params.metadata.originalRequest.tool).toBe('wipe')
})

test('an agent whose answer about its tools is an error, and a call without a name, end in words', async () => {
  const { raw } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  a.send(envelope('agent-a', ['agent-b'], request(1, 'tools/call')))
  const { payload } = await b.hears(isMethod('tools/list'))
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, error: { code: 1, message: 'no' } }))
  const text = ({ payload: { result } }: Heard) => result.content[0].text
  expect(text(await a.hears(isAnswer(1)))).toBe('agent-b does not say which tools it has.')
  listsPages(b, ['read'])
  a.send(envelope('agent-a', ['agent-b'], request(2, 'tools/call')))
  expect(text(await a.hears(isAnswer(2)))).toBe('agent-b has no tool .')
})

test('one who sees everything hears what is for others, and finds it in the history', async () => {
  const { raw, url } = await startHub({ participants })
  const [a, c, watcher] = [await raw('agent-a'), await raw('agent-c'), await raw('watcher')]
  const sent = envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: 'notifications/note' })
  a.send(sent)
  expect(await watcher.hears(isMethod('notifications/note'))).toEqual(sent)
  const both = envelope('agent-a', ['agent-c', 'watcher'], { jsonrpc: '2.0', method: 'notifications/both' })
  a.send(both)
  a.send(envelope('agent-a', [], { jsonrpc: '2.0', method: 'notifications/last' }))
  for (const each of [c, watcher]) {
    await each.hears(isMethod('notifications/last'))
    expect(each.heard.filter(({ id }) => id === both.id)).toHaveLength(1)
  }
  const read = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` }
    const reply = await fetch(`${url.replace('ws:', 'http:')}/history`, { headers })
    return ((await reply.json()) as { history: Heard[] }).history.length
  }
  expect([await read('w'), await read('b')]).toEqual([3, 1])
  const none = await fetch(`${url.replace('ws:', 'http:')}/history?limit=0`, { headers: { Authorization: 'Bearer w' } })
  expect(await none.json()).toEqual({ history: [], messages: [] })
})

test('addresses that are no space are nobody’s; the address of the draft is', async () => {
  const { raw, url, hub } = await startHub({ participants })
  const status = async (path: string) => (await fetch(url.replace('ws:', 'http:').replace('/hub/ops', path))).status
  expect([await status('/hub/lab/history'), await status('/hub/ops/else'), await status('/x')]).toEqual([404, 404, 404])
  const none = { url: '/hub/lab', headers: {} } as never
  expect(hub.upgrade(none, undefined as never, Buffer.alloc(0))).toBe(false)
  expect(hub.upgrade({ url: '/v0/ws', headers: {} } as never, undefined as never, Buffer.alloc(0))).toBe(false)
  const { socket } = await raw('agent-a')
  const draft = new WebSocket(url.replace('/hub/ops', '/v0/ws?topic=ops'), { headers: { Authorization: 'Bearer c' } })
  const welcome = await new Promise<Heard>((resolve) =>
    draft.once('message', (data) => resolve(JSON.parse(String(data)))),
  )
  expect(welcome.payload).toMatchObject({ event: 'welcome', participant_id: 'agent-c' })
  draft.terminate()
  expect(socket.readyState).toBe(socket.OPEN)
})

test('who says what it received last gets only what came after', async () => {
  const { raw } = await startHub({ participants })
  const a = await raw('agent-a')
  const sent = ['one', 'two', 'three'].map((name) =>
    envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: `notifications/${name}` }),
  )
  for (const one of sent) a.send(one)
  a.send(envelope('agent-a', [], { jsonrpc: '2.0', id: 1, result: {} }))
  await a.hears(isError('bad-request'))
  const c = await raw('agent-c', { query: `?acks=1&afterFrom=agent-a&afterId=${sent[1]?.id}` })
  await c.hears(({ id }) => id === sent[2]?.id)
  expect(c.heard.filter(({ kind }) => kind === 'mcp').map(({ id }) => id)).toEqual([sent[2]?.id])
  // What is no number of envelopes moves nothing.
  for (const received of [0.5, -1, 1e9, 'all']) {
    c.send(envelope('agent-c', ['assent'], { event: 'ack', received }, { kind: 'system' }))
  }
  c.send(envelope('agent-c', ['assent'], { event: 'else' }, { kind: 'system' }))
  c.send(envelope('agent-c', [], { jsonrpc: '2.0', id: 1, result: {} }))
  await c.hears(isError('bad-request'))
})

test('a kind that one may not send is refused', async () => {
  const { raw } = await startHub({ participants })
  const b = await raw('agent-b')
  b.send(envelope('agent-b', [], {}, { kind: 'mood' }))
  expect((await b.hears(isError('not-allowed'))).payload.message).toBe('You may not send mood here.')
  b.send(envelope('agent-b', [], { jsonrpc: '2.0', method: 'notifications/cancelled' }))
  b.send(envelope('agent-b', ['user-1'], request(1, 'tools/call', { name: 'x' })))
  await b.hears((heard) => heard.payload?.message === 'You may not send tools/call here.')
})

test.each([
  ['a question that cannot be asked', { requestedSchema: { type: 'object', properties: { x: { type: 'object' } } } }],
  ['a question without a form', { requestedSchema: undefined, message: undefined }],
])('%s ends with an error for the agent', async (_, params) => {
  const { raw, assent } = await startHub({ participants })
  const c = await raw('agent-c')
  c.send(question('q', params))
  expect((await c.hears(isAnswer('q'))).payload.error.code).toBe(-32_602)
  expect(await assent.listOpen(inInbox, 10)).toEqual([])
})

test.each<[string, object, object]>([
  ['a decline', { result: { action: 'decline' } }, { result: { action: 'decline' } }],
  ['a cancel', { result: { action: 'cancel' } }, { result: { action: 'cancel' } }],
  ['an error', { error: { code: -32_601, message: 'none' } }, { error: { code: -32_601 } }],
])('%s in the space goes to the agent as it came', async (_, body, expected) => {
  const { raw } = await startHub({ participants })
  const [c, user] = [await raw('agent-c'), await raw('user-1')]
  c.send(question('q'))
  await user.hears(asked)
  user.send(says('q', body))
  expect((await c.hears(isAnswer('q'))).payload).toMatchObject(expected)
})

test('an answer that does not fit is refused with words, and a good one still counts', async () => {
  const { raw } = await startHub({ participants })
  const [c, user] = [await raw('agent-c'), await raw('user-1')]
  c.send(question('q'))
  await user.hears(asked)
  user.send(says('q', { result: { action: 'accept', content: { ok: 'perhaps' } } }))
  const { payload } = await user.hears(isError('answer-refused'))
  expect(payload).toMatchObject({ message: expect.stringContaining('still open'), data: { errors: [{ field: 'ok' }] } })
  user.send(says('q', { result: { action: 'accept', content: { ok: true } } }))
  expect((await c.hears(isAnswer('q'))).payload.result.content).toEqual({ ok: true })
})

test('a question whose time is over ends with a cancel that says why, and a late answer with words', async () => {
  const clock = fixedClock()
  const { raw } = await startHub({ participants, assent: { clock, policy: { default: 'ask', fallback: 'inbox' } } })
  const [c, user] = [await raw('agent-c'), await raw('user-1')]
  c.send(question('q', { metadata: { timeout: 60 } }))
  await user.hears(asked)
  // It is waited for as soon as it was delivered.
  c.send(envelope('agent-c', ['user-1'], { jsonrpc: '2.0', method: 'notifications/last' }))
  await user.hears(isMethod('notifications/last'))
  clock.advance(300_000)
  const { payload } = await c.hears(isAnswer('q'))
  expect(payload.result).toMatchObject({ action: 'cancel', _meta: { 'assent/outcome': { reason: 'expired' } } })
  user.send(says('q', { result: { action: 'accept', content: { ok: true } } }))
  await user.hears(isError('not-pending'))
})

test('who declines in the inbox is heard as that', async () => {
  const { raw, assent } = await startHub({ participants })
  const c = await raw('agent-c')
  c.send(question('q'))
  await expect.poll(async () => (await assent.listOpen(inInbox, 10)).length).toBe(1)
  const [open] = await assent.listOpen(inInbox, 10)
  await assent.answer(open?.id as never, inInbox, { action: 'decline' })
  expect((await c.hears(isAnswer('q'))).payload.result).toMatchObject({ action: 'decline' })
})

test.each<[string, unknown]>([
  ['no object', 'yes'],
  ['an action that there is not', { action: 'approve' }],
  ['an accept without content', { action: 'accept' }],
])('what the hub asked stays open after an answer that is %s', async (_, result) => {
  const { raw, assent } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const user = await raw('user-1', { query: '?acks=1' })
  listsPages(b, ['wipe'])
  a.send(envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'wipe' })))
  const { payload } = await user.hears(asked)
  const said = envelope('user-1', ['assent'], { jsonrpc: '2.0', id: payload.id, result })
  user.send(said)
  await user.hears((heard) => heard.payload?.event === 'ack' && heard.payload.ids.includes(said.id))
  expect((await assent.get(payload.id))?.state.kind).toBe('open')
  // Whoever joins again is asked again, under the same name.
  const again = await raw('user-1')
  expect((await again.hears(asked)).id).toBe(`ask-${payload.id}`)
})
