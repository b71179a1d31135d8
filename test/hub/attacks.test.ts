import { expect, test, vi } from 'vitest'
import type { AssentOptions } from '../../src/assent-options.ts'
import { makeTicket } from '../../src/hub/join/ticket.ts'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, type Heard, type RawParticipant, request, startHub } from '../support/hub/hub.ts'

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'user-2': { kind: 'human', token: 'u2', participant: 'bob@https://login.example.com' as never },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', may: ['*'] },
  'agent-c': { kind: 'agent', token: 'c', for: 'user-1', may: ['*'], asks: 'itself' },
}

const isError = (code: string) => (heard: Heard) => heard.payload?.code === code

/** Answers `tools/list` of the hub. */
async function describeTools(agent: RawParticipant, name: string, tool: string): Promise<void> {
  const { payload } = await agent.hears((heard) => heard.payload?.method === 'tools/list')
  const tools = [{ name: tool, inputSchema: { type: 'object' } }]
  agent.send(envelope(name, ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
}

/** A call of agent-a that waits for user-1, and the question about it. */
async function heldCall(assent: AssentOptions = {}) {
  const started = await startHub({ participants, assent })
  const { raw } = started
  const [a, b, user] = [await raw('agent-a'), await raw('agent-b'), await raw('user-1')]
  const call = envelope('agent-a', ['agent-b'], request('call-1', 'tools/call', { name: 'wipe', arguments: {} }))
  a.send(call)
  await describeTools(b, 'agent-b', 'wipe')
  const question = await user.hears((heard) => heard.payload?.method === 'elicitation/create')
  const yes = (from: string) =>
    envelope(from, ['assent'], {
      jsonrpc: '2.0',
      id: question.payload.id,
      result: { action: 'accept', content: { approve: true } },
    })
  const ran = () => b.heard.some((heard) => heard.payload?.method === 'tools/call')
  return { ...started, a, b, user, call, question, yes, ran }
}

test('when waits end, a held call is asked about no more, and does not run', async () => {
  const { assent, a, user, question, ran } = await heldCall()
  assent.endWaits()
  for (let n = 0; n < 20; n += 1) {
    a.send(envelope('agent-a', ['user-1'], { jsonrpc: '2.0', method: 'notifications/note', params: { n } }))
    await user.hears((heard) => heard.payload?.params?.n === n)
  }
  const asked = user.heard.filter((heard) => heard.payload?.method === 'elicitation/create')
  expect(asked).toHaveLength(1)
  expect((await assent.get(question.payload.id))?.state.kind).toBe('open')
  expect(ran()).toBe(false)
})

test('forged from: an envelope in the name of another is refused, told and recorded', async () => {
  const { raw, assent } = await startHub({ participants })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  a.send(envelope('user-1', ['agent-b'], request(1, 'ping')))
  await a.hears(isError('forged-from'))
  a.send(envelope('agent-a', ['agent-b'], request(2, 'ping')))
  await b.hears((heard) => heard.payload?.id === 2)
  expect(b.heard.some((heard) => heard.payload?.id === 1)).toBe(false)
  const lines: string[] = []
  for await (const line of assent.exportAudit()) lines.push(line)
  expect(lines.some((line) => line.includes('hub-refused') && line.includes('forged-from'))).toBe(true)
})

test('wrong token, no token, and a token in the address are closed with words', async () => {
  const { raw } = await startHub({ participants })
  for (const more of [{ token: 'wrong' }, { token: undefined as never, query: '?token=a' }]) {
    const { closed, heard } = await raw('nobody', more)
    expect(await closed).toMatchObject({ code: 1008, words: expect.stringMatching(/token/) })
    expect(heard).toEqual([])
  }
})

test('a ticket lets in once; a used, forged or foreign one lets nobody in', async () => {
  const { raw, hub, assent } = await startHub({ participants })
  const ticket = await hub.ticket('ops', 'user-1')
  const query = `?ticket=${encodeURIComponent(String(ticket))}`
  const first = await raw('nobody', { query })
  expect((await first.hears((heard) => heard.payload?.event === 'welcome')).payload.participant_id).toBe('user-1')
  const again = await raw('nobody', { query })
  expect(await again.closed).toMatchObject({ code: 1008, words: expect.stringContaining('ticket') })
  const forged = await raw('nobody', { query: `${query.slice(0, -3)}AAA` })
  expect((await forged.closed).code).toBe(1008)
  const foreign = await makeTicket(assent, { space: 'lab', participant: 'user-1' }, 60_000)
  const elsewhere = await raw('nobody', { query: `?ticket=${encodeURIComponent(foreign)}` })
  expect(await elsewhere.closed).toMatchObject({ code: 1008, words: expect.stringContaining('ticket') })
  expect(await hub.ticket('ops', 'stranger')).toBeUndefined()
})

test('the caller cannot approve its own call, not even through a second socket', async () => {
  const { raw, a, yes, ran, assent, question } = await heldCall()
  a.send(yes('agent-a'))
  await a.hears(isError('answer-refused'))
  const second = await raw('agent-a')
  expect(await a.closed).toMatchObject({ code: 1000, words: 'You joined again from elsewhere.' })
  second.send(yes('agent-a'))
  await second.hears(isError('answer-refused'))
  expect(ran()).toBe(false)
  expect((await assent.get(question.payload.id))?.state.kind).toBe('open')
})

test('an agent that a rule names as an approver is neither asked nor heard by the hub', async () => {
  const rules = [{ tool: 'wipe', decide: 'ask', approvers: ['local', 'agent-c@hub:ops'] } as const]
  const { raw, yes, ran, user } = await heldCall({ policy: { rules } })
  const c = await raw('agent-c')
  c.send(yes('agent-c'))
  expect((await c.hears(isError('answer-refused'))).payload.message).toBe('Only people answer what the hub asks.')
  expect(c.heard.some((heard) => heard.payload?.method === 'elicitation/create')).toBe(false)
  expect(ran()).toBe(false)
  user.send(yes('user-1'))
  await expect.poll(ran).toBe(true)
})

test('neither an agent of the caller’s person, nor the agent that is called, nor a stranger can approve', async () => {
  const { raw, b, yes, ran, assent, question } = await heldCall()
  for (const id of ['agent-c', 'user-2']) {
    const other = await raw(id)
    other.send(yes(id))
    await other.hears(isError('answer-refused'))
  }
  b.send(yes('agent-b'))
  await b.hears(isError('answer-refused'))
  expect(ran()).toBe(false)
  expect((await assent.get(question.payload.id))?.state.kind).toBe('open')
})

test('an accept without a clear yes is a no', async () => {
  const { a, user, question, ran } = await heldCall()
  const result = { action: 'accept', content: { approve: 'true' } }
  user.send(envelope('user-1', ['assent'], { jsonrpc: '2.0', id: question.payload.id, result }))
  const { payload } = await a.hears((heard) => heard.payload?.id === 'call-1')
  expect(payload.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status: 'denied' } } })
  expect(ran()).toBe(false)
})

test('an answer to a question that another was asked, or that nobody asked, goes nowhere', async () => {
  const { raw } = await startHub({ participants })
  const [c, b, user] = [await raw('agent-c'), await raw('agent-b'), await raw('user-2')]
  const form = { type: 'object', properties: { approve: { type: 'boolean' } } }
  c.send(
    envelope('agent-c', ['user-1'], request('q', 'elicitation/create', { message: 'May I?', requestedSchema: form })),
  )
  const result = { action: 'accept', content: { approve: true } }
  user.send(envelope('user-2', ['agent-c'], { jsonrpc: '2.0', id: 'q', result }))
  await user.hears(isError('not-pending'))
  b.send(envelope('agent-b', ['agent-c'], { jsonrpc: '2.0', id: 'q', result }))
  await b.hears(isError('not-pending'))
  expect(c.heard.some((heard) => heard.payload?.result !== undefined)).toBe(false)
})

test('a replayed envelope is delivered once, and its id is good for no other envelope', async () => {
  const { raw } = await startHub({ participants })
  const [a, c] = [await raw('agent-a'), await raw('agent-c')]
  const note = envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: 'notifications/note', params: { n: 1 } })
  a.send(note)
  a.send(note)
  a.send({ ...note, payload: { jsonrpc: '2.0', method: 'notifications/note', params: { n: 2 } } })
  await a.hears(isError('id-used'))
  a.send(envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: 'notifications/last' }))
  await c.hears((heard) => heard.payload?.method === 'notifications/last')
  expect(c.heard.filter((heard) => heard.payload?.method === 'notifications/note')).toEqual([note])
})

test('a yes runs a call once, also when the yes is sent again', async () => {
  const { user, b, yes } = await heldCall()
  user.send(yes('user-1'))
  await b.hears((heard) => heard.payload?.method === 'tools/call')
  user.send(yes('user-1'))
  await user.hears(isError('not-pending'))
  expect(b.heard.filter((heard) => heard.payload?.method === 'tools/call')).toHaveLength(1)
})

test('a loop is refused: agent-c cannot call back the agent whose call it is answering', async () => {
  const { raw } = await startHub({
    participants: { ...participants, 'agent-b': { ...participants['agent-b'], asks: 'itself' } as never },
  })
  const [a, b, c] = [await raw('agent-a'), await raw('agent-b'), await raw('agent-c')]
  const call = envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'x', arguments: {} }))
  a.send(call)
  await b.hears((heard) => heard.id === call.id)
  const onward = envelope(
    'agent-b',
    ['agent-c'],
    request(2, 'tools/call', { name: 'y', arguments: {}, _meta: { 'assent/on-behalf-of': call.id } }),
  )
  b.send(onward)
  expect((await c.hears((heard) => heard.id === onward.id)).assent).toEqual({ agents: ['agent-a'], root: 'agent-a' })
  c.send(envelope('agent-c', ['agent-a'], request(3, 'tools/call', { name: 'z', arguments: {} })))
  expect((await c.hears(isError('bad-request'))).payload.data).toEqual({ reason: 'loop' })
  b.send(
    envelope(
      'agent-b',
      ['agent-c'],
      request(4, 'tools/call', { name: 'z', arguments: {}, _meta: { 'assent/on-behalf-of': 'made-up' } }),
    ),
  )
  expect((await b.hears(isError('bad-request'))).payload.message).toContain('made-up')
})

test('a flood is told, not delivered, and ends with words', async () => {
  const { raw } = await startHub({ participants, limits: { burst: 20, envelopesPerSecond: 0.01 } })
  const [a, c] = [await raw('agent-a'), await raw('agent-c')]
  for (let n = 0; n < 1_100; n += 1)
    a.send(envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: 'notifications/n' }))
  await a.hears(isError('too-many'))
  expect(await a.closed).toMatchObject({ code: 1008, words: 'You sent too much for too long.' })
  expect(c.heard.filter((heard) => heard.payload?.method === 'notifications/n').length).toBeLessThan(40)
})

test('an envelope of 1 MB is refused with its size, and a frame far beyond that ends the connection', async () => {
  const { raw } = await startHub({ participants })
  const a = await raw('agent-a')
  a.send(
    envelope('agent-a', ['agent-c'], {
      jsonrpc: '2.0',
      method: 'notifications/n',
      params: { big: 'x'.repeat(1_000_000) },
    }),
  )
  expect((await a.hears(isError('too-large'))).payload.message).toContain('262144')
  a.send(`"${'x'.repeat(3_000_000)}"`)
  expect((await a.closed).code).toBe(1009)
})

test('half a frame, and rubbish, harm nobody else', async () => {
  const { raw, server } = await startHub({ participants, times: { heartbeat: 1_000 } })
  const [a, c] = [await raw('agent-a'), await raw('agent-c')]
  const half = (a.socket as unknown as { _socket: { write(data: Buffer): void; pause(): void } })._socket
  half.write(Buffer.from([0x81, 0xfe]))
  half.pause()
  const left = await c.hears((heard) => heard.payload?.event === 'leave')
  expect(left.payload).toMatchObject({ participant: { id: 'agent-a' }, reason: 'No sign of life.' })
  for (const text of [
    '{',
    '[]',
    '{"id":"x"}',
    '{"protocol":"mcp-x/v0","id":"y","from":"agent-c","kind":"mcp","payload":1}',
  ])
    c.send(text)
  await expect.poll(() => c.heard.filter(isError('unreadable')).length).toBe(4)
  expect(server.listening).toBe(true)
})

test('a participant that never reads is disconnected, and what waits for it stays bounded', async () => {
  const { raw, hub } = await startHub({
    participants,
    limits: { unreadBytes: 100_000, envelopesPerSecond: 100_000, burst: 100_000 },
  })
  const [a, c] = [await raw('agent-a'), await raw('agent-c')]
  ;(c.socket as unknown as { _socket: { pause(): void } })._socket.pause()
  const big = 'x'.repeat(200_000)
  const left = a.hears((heard) => heard.payload?.event === 'leave')
  let isGone = false
  const gone = left.then(() => (isGone = true))
  while (!isGone) {
    a.send(envelope('agent-a', ['agent-c'], { jsonrpc: '2.0', method: 'notifications/n', params: { big } }))
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 5))])
  }
  expect((await left).payload.reason).toContain('You do not read')
  expect(hub.status()[0]?.here).toEqual(['agent-a'])
})

test('what a participant may not send is refused, by method, tool and addressee', async () => {
  const may = [{ method: 'tools/call', tool: 'read*', to: 'agent-b' }, '!elicitation/create']
  const { raw } = await startHub({
    participants: {
      ...participants,
      'agent-a': { kind: 'agent', token: 'a', may },
      'agent-b': { kind: 'agent', token: 'b', asks: 'itself' },
    },
  })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const bad = [
    envelope('agent-a', ['agent-b'], request(1, 'tools/call', { name: 'write' })),
    envelope('agent-a', ['agent-c'], request(2, 'tools/call', { name: 'read_file' })),
    envelope('agent-a', ['user-1'], request(3, 'elicitation/create', { message: 'x' })),
  ]
  for (const one of bad) {
    a.send(one)
    await a.hears((heard) => heard.correlation_id === one.id && heard.payload.code === 'not-allowed')
  }
  a.send(envelope('agent-a', ['agent-b'], request(4, 'tools/call', { name: 'read_file' })))
  await b.hears((heard) => heard.payload?.id === 4)
})

test('attack: one of two who must say yes in a space says it twice: it counts once, and nobody is refused', async () => {
  const [eve, bob] = ['eve@https://login.example.com', 'bob@https://login.example.com'] as never[]
  const rule = { decide: 'ask', approvers: [localParticipant, bob], quorum: 2, delegate: true, priority: 'high' }
  const { raw, assent } = await startHub({
    participants: {
      ...participants,
      'user-3': { kind: 'human', token: 'u3', participant: eve as never },
      'agent-a': { kind: 'agent', token: 'a', for: 'user-3', may: ['*'] },
    },
    assent: { policy: { fallback: 'inbox', rules: [rule] } as never },
  })
  const [a, b] = [await raw('agent-a'), await raw('agent-b')]
  const users = { 'user-1': await raw('user-1'), 'user-2': await raw('user-2') }
  a.send(envelope('agent-a', ['agent-b'], request('call-1', 'tools/call', { name: 'wipe', arguments: {} })))
  await describeTools(b, 'agent-b', 'wipe')
  const say = async (who: keyof typeof users) => {
    const { payload } = await users[who].hears((heard) => heard.payload?.method === 'elicitation/create')
    const result = { action: 'accept', content: { action: 'approve' } }
    users[who].send(envelope(who, ['assent'], { jsonrpc: '2.0', id: payload.id, result }))
    return payload
  }
  const votersOf = async (id: string) => (await assent.get(id as never))?.voting?.votes.map(({ by }) => by)
  const { id, params } = await say('user-1')
  expect(params.metadata.priority).toBe('high')
  expect(Object.keys(params.requestedSchema.properties)).toEqual(['action', 'delegateTo', 'reason'])
  await say('user-1')
  await vi.waitFor(async () => expect(await votersOf(id)).toEqual([localParticipant]))
  expect(b.heard.some((heard) => heard.payload?.method === 'tools/call')).toBe(false)
  await say('user-2')
  await b.hears((heard) => heard.payload?.method === 'tools/call')
  expect(await votersOf(id)).toEqual([localParticipant, bob])
  expect(Object.values(users).flatMap(({ heard }) => heard.filter(isError('answer-refused')))).toEqual([])
})
