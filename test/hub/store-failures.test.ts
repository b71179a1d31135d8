import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTicket } from '../../src/hub/join/ticket.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { testKeys } from '../support/assents.ts'
import { envelope, type Heard, request, startHub } from '../support/hub/hub.ts'
import { breakable } from '../support/stores/breakable.ts'

const isCode = (code: string) => (heard: Heard) => heard.payload?.code === code
const isCall = (heard: Heard) => heard.payload?.method === 'tools/call'
const policy = { default: 'ask', fallback: 'inbox' } as const
const asked = {
  'user-1': { kind: 'human', token: 'u', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b' },
} as const

test('what cannot be kept is refused with words; sent again under its id, it arrives once', async () => {
  const { store, fault } = breakable(['hub'])
  const { raw } = await startHub({ assent: { store, keys: testKeys, policy } })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const message = envelope('agent-a', ['agent-b'], request(1, 'ping'))
  fault.isDown = true
  a.send(message)
  expect((await a.hears(isCode('unavailable'))).payload.message).toContain('Send it again.')
  fault.isDown = false
  a.send(message)
  await b.hears((heard) => heard.payload?.method === 'ping')
  expect(b.heard.filter((heard) => heard.payload?.method === 'ping')).toHaveLength(1)
})

test('a question of an agent that cannot be kept is refused, and can be asked again', async () => {
  const { store, fault } = breakable(['elicitations'])
  const { raw } = await startHub({ assent: { store, keys: testKeys, policy } })
  const [b, user] = [await raw('agent-b'), await raw('user-1')]
  const schema = { type: 'object', properties: { ok: { type: 'boolean' } } }
  const ask = (id: string) =>
    envelope('agent-b', ['user-1'], request(id, 'elicitation/create', { message: 'Go on?', requestedSchema: schema }))
  fault.isDown = true
  b.send(ask('q1'))
  await b.hears(isCode('unavailable'))
  fault.isDown = false
  b.send(ask('q2'))
  expect((await user.hears((heard) => heard.payload?.method === 'elicitation/create')).payload.id).toBe('q2')
})

test('an approved call that cannot be released for now is delivered when the store is back, once', async () => {
  const { store, fault } = breakable(['hub'])
  const { raw, hub, assent } = await startHub({ participants: asked, assent: { store, keys: testKeys, policy } })
  const failed: string[] = []
  hub.events.listen((news) => {
    if (news.kind === 'hub-failed') failed.push(String(news.error))
  })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe', arguments: {} })))
  const list = await b.hears((heard) => heard.payload?.method === 'tools/list')
  const tools = [{ name: 'wipe', inputSchema: { type: 'object' } }]
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: list.payload.id, result: { tools } }))
  const { payload } = await user.hears((heard) => heard.payload?.method === 'elicitation/create')
  fault.isDown = true
  const yes = { action: 'accept', content: { choice: 'allow_once' } } as const
  await assent.answer(payload.id, { participant: localParticipant, groups: [], via: 'page' }, yes)
  await expect.poll(() => failed.length).toBeGreaterThan(0)
  expect(b.heard.some(isCall)).toBe(false)
  fault.isDown = false
  await b.hears(isCall)
  b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: 'c', result: { content: [] } }))
  await a.hears((heard) => heard.payload?.id === 'c' && 'result' in heard.payload)
  expect(b.heard.filter(isCall)).toHaveLength(1)
})

test('a request survives the end of its hub: whoever it is for gets it from the next one, and the answer comes back', async () => {
  const { store } = breakable([])
  const first = await startHub({ assent: { store, keys: testKeys, policy } })
  const a = await first.raw('agent-a')
  a.send(envelope('agent-a', ['agent-b'], request(7, 'ping')))
  await expect.poll(() => first.hub.status()[0]).toMatchObject({ open: 1 })
  await first.hub.close()

  const next = await startHub({ assent: { store, keys: testKeys, policy } })
  expect(next.hub.status()[0]).toMatchObject({ open: 1 })
  const b = await next.raw('agent-b')
  await b.hears((heard) => heard.payload?.method === 'ping')
  b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: 7, result: { pong: true } }))
  const again = await next.raw('agent-a')
  expect((await again.hears((heard) => heard.payload?.id === 7)).payload.result).toEqual({ pong: true })
})

test('a hub that is closed lets nobody in, and says that it is not there now', async () => {
  const { hub, url } = await startHub()
  await hub.close()
  const status = await new Promise((resolve) => {
    const socket = new WebSocket(url, { headers: { Authorization: 'Bearer token-of-agent-a' } })
    socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode))
    socket.on('error', () => {})
  })
  expect(status).toBe(503)
})

test('whoever comes with a ticket while the store is down is turned away with words, and can come again', async () => {
  const { store, fault } = breakable(['steps', 'hub'])
  const { raw, assent } = await startHub({ assent: { store, keys: testKeys, policy } })
  const ticket = await makeTicket(assent, { space: 'ops', participant: 'agent-a' }, 60_000)
  const coming = () => raw('stranger', { query: `?ticket=${encodeURIComponent(ticket)}` })
  fault.isDown = true
  expect((await (await coming()).closed).words).toBe('You cannot join right now. Try again later.')
  fault.isDown = false
  await (await coming()).hears((heard) => heard.payload?.event === 'welcome')
})

test('what was said cannot be read while the store is down: that is told, and can be asked again', async () => {
  const { store, fault } = breakable(['hub'])
  const { url } = await startHub({ assent: { store, keys: testKeys, policy } })
  const read = () =>
    fetch(`${url.replace('ws:', 'http:')}/history`, { headers: { Authorization: 'Bearer token-of-agent-a' } })
  fault.isDown = true
  const down = await read()
  expect([down.status, await down.json()]).toEqual([503, { error: 'This cannot be read right now. Try again later.' }])
  fault.isDown = false
  expect((await read()).status).toBe(200)
})
