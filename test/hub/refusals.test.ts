import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { membersOf, type ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, type Heard, request, startHub } from '../support/hub/hub.ts'

const isCode = (code: string) => (heard: Heard) => heard.payload?.code === code

test.each<[string, string, object]>([
  ['to somebody unknown', 'unknown-recipient', envelope('agent-a', ['agent-x'], request(1, 'ping'))],
  ['no JSON-RPC', 'bad-request', envelope('agent-a', ['agent-b'], { hello: 1 })],
  ['a request for two', 'bad-request', envelope('agent-a', ['agent-b', 'user-1'], request(1, 'ping'))],
  ['a request for nobody', 'bad-request', envelope('agent-a', [], request(1, 'ping'))],
  ['a request to itself', 'bad-request', envelope('agent-a', ['agent-a'], request(1, 'ping'))],
  ['a request to the hub', 'bad-request', envelope('agent-a', ['assent'], request(1, 'ping'))],
  ['an answer for everybody', 'bad-request', envelope('agent-a', [], { jsonrpc: '2.0', id: 1, result: {} })],
  ['an answer to nothing', 'not-pending', envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', id: 1, result: {} })],
  ['an answer to no question', 'not-pending', envelope('agent-a', ['assent'], { jsonrpc: '2.0', id: 'x', result: {} })],
  ['an empty id', 'unreadable', { ...envelope('agent-a', [], {}), id: '' }],
  ['another protocol', 'unreadable', { ...envelope('agent-a', [], {}), protocol: 'mew/v0.4' }],
  ['no sender', 'unreadable', { ...envelope('agent-a', [], {}), from: undefined }],
  ['one recipient as text', 'unreadable', { ...envelope('agent-a', [], {}), to: 'agent-b' }],
  ['no kind', 'unreadable', { ...envelope('agent-a', [], {}), kind: 1 }],
  ['a correlation that is no text', 'unreadable', { ...envelope('agent-a', [], {}), correlation_id: 1 }],
  ['the key of the hub', 'unreadable', { ...envelope('agent-a', [], {}), assent: { agents: [] } }],
])('%s is refused with words: %s', async (_, code, sent) => {
  const { raw } = await startHub()
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  a.send(sent)
  expect((await a.hears(isCode(code))).payload.message).toMatch(/\.$/)
  a.send(envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/last' }))
  await b.hears((heard) => heard.payload?.method === 'notifications/last')
  expect(b.heard.filter((heard) => heard.from === 'agent-a')).toHaveLength(1)
})

test('an answer for two, JSON-RPC without a version, with an odd id, or with both a result and an error are refused', async () => {
  const { raw } = await startHub()
  const a = await raw('agent-a')
  const sent = [
    envelope('agent-a', ['agent-b', 'user-1'], { jsonrpc: '2.0', id: 1, result: {} }),
    envelope('agent-a', ['agent-b'], { id: 1, method: 'ping' }),
    envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', id: { odd: true }, method: 'ping' }),
    envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', id: 1, result: {}, error: {} }),
    envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', id: 1 }),
  ]
  for (const one of sent) {
    a.send(one)
    const { payload } = await a.hears((heard) => heard.correlation_id === one.id)
    expect([payload.code, payload.message]).toEqual(['bad-request', expect.stringMatching(/\.$/)])
  }
})

test('a JSON-RPC id that is open, and an answer about another envelope, are refused', async () => {
  const { raw } = await startHub()
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  a.send(envelope('agent-a', ['agent-b'], request(1, 'ping')))
  a.send(envelope('agent-a', ['agent-b'], request(1, 'ping')))
  await a.hears(isCode('id-used'))
  await b.hears((heard) => heard.payload?.id === 1)
  b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: 1, result: {} }, { correlation_id: 'else' }))
  await b.hears(isCode('bad-request'))
})

test('a caller that gives up ends its held call, and the question stays', async () => {
  const { raw, hub, assent } = await startHub({
    participants: {
      'user-1': { kind: 'human', token: 'u', participant: localParticipant },
      'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
      'agent-b': { kind: 'agent', token: 'b' },
    },
  })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe' })))
  const { payload } = await b.hears((heard) => heard.payload?.method === 'tools/list')
  const tools = [{ name: 'wipe', inputSchema: { type: 'object' } }]
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
  const question = await user.hears((heard) => heard.payload?.method === 'elicitation/create')
  const params = { requestId: 'c' }
  a.send(envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/cancelled', params }))
  await user.hears((heard) => heard.payload?.method === 'notifications/cancelled')
  expect((await assent.get(question.payload.id))?.state.kind).toBe('open')
  await expect.poll(() => hub.status()[0]).toMatchObject({ open: 0, held: 0 })
})

test('a call of an unknown tool, and of an agent that does not say what it has, end in words', async () => {
  const { raw, join } = await startHub({
    participants: {
      'user-1': { kind: 'human', participant: localParticipant },
      'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
      'agent-b': { kind: 'agent', token: 'b' },
    },
    times: { tools: 500 },
  })
  const a = await join('agent-a')
  const text = async (called: ReturnType<typeof a.call>) => JSON.stringify(await called)
  expect(await text(a.call('agent-b', 'wipe'))).toContain('agent-b is not here.')
  const b = await raw('agent-b')
  const silent = a.call('agent-b', 'wipe')
  const { payload } = await b.hears((heard) => heard.payload?.method === 'tools/list')
  expect(await text(silent)).toContain('agent-b does not say which tools it has.')
  const unknown = a.call('agent-b', 'wipe')
  const again = await b.hears((heard) => heard.payload?.method === 'tools/list' && heard.payload.id !== payload.id)
  b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: again.payload.id, result: { tools: [] } }))
  expect(await text(unknown)).toContain('agent-b has no tool wipe.')
})

test('a heartbeat is told to the others, and who is there is told over HTTP', async () => {
  const { raw, url } = await startHub()
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  a.send(envelope('agent-a', [], {}, { kind: 'presence' }))
  expect((await b.hears((heard) => heard.payload?.event === 'heartbeat')).payload.participant.id).toBe('agent-a')
  const address = `${url.replace('ws:', 'http:')}/participants`
  const headers = { Authorization: 'Bearer token-of-agent-a' }
  const { participants } = (await (await fetch(address, { headers })).json()) as { participants: Heard[] }
  expect(participants.map(({ id, here }) => [id, here])).toEqual([
    ['user-1', false],
    ['agent-a', true],
    ['agent-b', true],
  ])
  expect((await fetch(address, { method: 'POST', headers })).status).toBe(405)
})

test('attack: a page of another origin may not join, and binary messages end the connection', async () => {
  const { raw, url } = await startHub()
  const socket = new WebSocket(url, { headers: { Origin: 'https://evil.example' } })
  const [code, words] = await new Promise<[number, string]>((resolve) =>
    socket.on('close', (closed, why) => resolve([closed, String(why)])),
  )
  expect([code, words]).toEqual([1008, 'Pages of this origin may not join.'])
  const a = await raw('agent-a')
  a.socket.send(Buffer.from('{}'), { binary: true })
  expect((await a.closed).words).toBe('Send text, not binary messages.')
})

test.each<[string, string, Record<string, ParticipantOptions>, RegExp]>([
  ['a space', 'no spaces', {}, /A space has a name/],
  ['a participant', 'ops', { assent: { kind: 'agent' } }, /"assent" cannot be a participant/],
  ['a human for somebody', 'ops', { u: { kind: 'human', for: 'u' } }, /acts for nobody/],
  ['an agent for an agent', 'ops', { a: { kind: 'agent' }, b: { kind: 'agent', for: 'a' } }, /who is no human/],
  ['an agent as a person', 'ops', { a: { kind: 'agent', participant: localParticipant } }, /cannot be a person/],
])('%s that cannot be is refused', (_, space, participants, words) => {
  expect(() => membersOf(space, { participants })).toThrow(words)
})
