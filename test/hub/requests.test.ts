import { expect, test } from 'vitest'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { testKeys } from '../support/assents.ts'
import { envelope, type Heard, type RawParticipant, request, startHub } from '../support/hub/hub.ts'
import { breakable } from '../support/stores/breakable.ts'

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'user-2': { kind: 'human', token: 'u2', participant: 'bob@https://login.example.com' as never },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', may: ['*'] },
  'agent-c': { kind: 'agent', token: 'c', for: 'user-2', may: ['*'] },
}
const policy = { default: 'ask', fallback: 'inbox' } as const
const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const isError = (code: string) => (heard: Heard) => heard.payload?.code === code
const isCall = isMethod('tools/call')
const cancelled = (id: string | number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId: id },
})
const yes = (id: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { approve: true } } })

/** Answers each `tools/list` of the hub with this. */
function lists(agent: RawParticipant, name: string, tools: unknown): void {
  agent.socket.on('message', (data) => {
    const { payload } = JSON.parse(String(data)) as Heard
    if (payload?.method !== 'tools/list') return
    agent.send(envelope(name, ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
  })
}

const wipe = [{ name: 'wipe', inputSchema: { type: 'object' } }]

test('who gives up a call gives up that one alone, whatever ids it uses for others', async () => {
  const { raw, hub } = await startHub({ participants })
  const [a, b, c, user] = [await raw('agent-a'), await raw('agent-b'), await raw('agent-c'), await raw('user-1')]
  lists(b, 'agent-b', wipe)
  lists(c, 'agent-c', wipe)
  for (const to of ['agent-b', 'agent-c']) a.send(envelope('agent-a', [to], request(1, 'tools/call', { name: 'wipe' })))
  await expect.poll(() => user.heard.filter(isMethod('elicitation/create')).length).toBe(2)
  a.send(envelope('agent-a', ['agent-b'], cancelled(1)))
  await user.hears(isMethod('notifications/cancelled'))
  expect(hub.status()[0]).toMatchObject({ open: 1, held: 1 })
  for (const { payload } of user.heard.filter(isMethod('elicitation/create'))) {
    user.send(envelope('user-1', ['assent'], yes(payload.id)))
  }
  await c.hears(isCall)
  expect(b.heard.some(isCall)).toBe(false)
})

test.each<[string, unknown]>([
  ['a name that is no text', [{ name: 5 }]],
  ['a schema that is no object', [{ name: 'wipe', inputSchema: 5, annotations: 'x', description: {}, title: [] }]],
  ['no list', { wipe: true }],
  ['a surrogate', [{ name: 'wipe', description: '\ud800' }]],
])('tools of an agent with %s leave nobody waiting', async (_, tools) => {
  const { raw } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  lists(b, 'agent-b', tools)
  a.send(envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'wipe' })))
  await a.hears(({ payload }) => payload?.id === 1 || payload?.event === 'pending')
})

test('attack: of a key that is written twice, what was shown is what runs', async () => {
  const { raw } = await startHub({ participants })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  lists(b, 'agent-b', wipe)
  const params = '{"name":"wipe","arguments":{"path":"/"},"arguments":{"path":"/tmp"}}'
  const payload = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
  a.send(`{"protocol":"mcp-x/v0","id":"twice","from":"agent-a","to":["agent-b"],"kind":"mcp","payload":${payload}}`)
  const question = await user.hears(isMethod('elicitation/create'))
  expect(question.payload.params.metadata.originalRequest.arguments).toEqual({ path: '/tmp' })
  const came = new Promise<string>((resolve) => {
    b.socket.on('message', (data) => (String(data).includes('"twice"') ? resolve(String(data)) : undefined))
  })
  user.send(envelope('user-1', ['assent'], yes(question.payload.id)))
  expect(await came).not.toContain('"path":"/"')
})

test('numbers in the history are as they were written', async () => {
  const { raw, url } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const payload = '{"jsonrpc":"2.0","method":"notifications/n","params":{"n":9007199254740993,"f":1.0}}'
  const text = `{"protocol":"mcp-x/v0","id":"n","from":"agent-a","to":["agent-b"],"kind":"mcp","payload":${payload}}`
  a.send(text)
  await b.hears(isMethod('notifications/n'))
  const reply = await fetch(`${url.replace('ws:', 'http:')}/history`, { headers: { Authorization: 'Bearer b' } })
  expect(await reply.text()).toContain(text)
})

test('the answer to a call that was allowed arrives, also when the store was down as it came', async () => {
  const { store, fault } = breakable(['grants'])
  const { raw } = await startHub({ participants, assent: { store, keys: testKeys, policy } })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  lists(b, 'agent-b', wipe)
  a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe' })))
  const { payload } = await user.hears(isMethod('elicitation/create'))
  user.send(envelope('user-1', ['assent'], yes(payload.id)))
  await b.hears(isCall)
  const answer = envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: 'c', result: { content: [] } })
  fault.isDown = true
  b.send(answer)
  await b.hears((heard) => isError('unavailable')(heard) && heard.correlation_id === answer.id)
  fault.isDown = false
  b.send(answer)
  await a.hears((heard) => heard.payload?.id === 'c')
})

test('an answer to the question of an agent that cannot be passed on for now is passed on later', async () => {
  const { store, fault } = breakable(['hub'])
  const { raw } = await startHub({ participants, assent: { store, keys: testKeys, policy } })
  const [b, user] = [await raw('agent-b'), await raw('user-1')]
  const requestedSchema = { type: 'object', properties: { approve: { type: 'boolean' } } }
  b.send(envelope('agent-b', ['user-1'], request('q', 'elicitation/create', { message: 'May I?', requestedSchema })))
  await user.hears(isMethod('elicitation/create'))
  fault.isDown = true
  user.send(envelope('user-1', ['agent-b'], yes('q')))
  await user.hears(isError('unavailable'))
  fault.isDown = false
  expect((await b.hears((heard) => heard.payload?.id === 'q')).payload.result.content).toEqual({ approve: true })
})

test('a call that may be for one person or another is refused until the agent says for whom it is', async () => {
  const asksItself = {
    ...participants,
    'agent-b': { ...participants['agent-b'], asks: 'itself' },
  } as typeof participants
  const { raw } = await startHub({
    participants: { ...asksItself, 'agent-d': { kind: 'agent', token: 'd', may: ['*'] } },
  })
  const [a, b, c] = [await raw('agent-a'), await raw('agent-b'), await raw('agent-c')]
  const call = envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'x' }))
  a.send(call)
  c.send(envelope('agent-c', ['agent-b'], request(1, 'tools/call', { name: 'x' })))
  await expect.poll(() => b.heard.filter(isCall).length).toBe(2)
  b.send(envelope('agent-b', ['agent-d'], request(2, 'tools/call', { name: 'wipe' })))
  expect((await b.hears(isError('bad-request'))).payload.data).toEqual({ reason: 'for-several' })
})

test.each([
  ['half a character', '"\\ud800"', 'half a surrogate pair'],
  ['a number that is not kept exactly', '9007199254740993', 'more digits than are kept exactly'],
])('arguments with %s are refused with words', async (_, value, words) => {
  const { raw } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  lists(b, 'agent-b', wipe)
  const payload = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wipe","arguments":{"x":${value}}}}`
  a.send(`{"protocol":"mcp-x/v0","id":"odd","from":"agent-a","to":["agent-b"],"kind":"mcp","payload":${payload}}`)
  const { result } = (await a.hears((heard) => heard.payload?.id === 1)).payload
  expect([result.isError, result.content[0].text]).toEqual([true, expect.stringContaining(words)])
})

test('one call more than may wait for a person is refused with words, and the first goes on', async () => {
  const { raw } = await startHub({ participants, assent: { policy, limits: { openPerRequester: 1 } } })
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  lists(b, 'agent-b', wipe)
  for (const id of [1, 2]) {
    a.send(envelope('agent-a', ['agent-b'], request(id, 'tools/call', { name: 'wipe', arguments: { id } })))
    await a.hears(({ payload }) => payload?.requestId === id || payload?.id === id)
  }
  const refused = await a.hears((heard) => heard.payload?.id === 2)
  expect(refused.payload.result.content[0].text).toContain('open already')
  const { payload } = await user.hears(isMethod('elicitation/create'))
  user.send(envelope('user-1', ['assent'], yes(payload.id)))
  expect((await b.hears(isCall)).payload.id).toBe(1)
})
