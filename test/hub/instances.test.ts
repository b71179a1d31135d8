import { describe, expect, test } from 'vitest'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, type Heard, type RawParticipant, request, startInstances, type TestHub } from '../support/hub/hub.ts'
import { serverStores } from '../support/stores.ts'

const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u', participant: localParticipant },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', for: 'user-1', may: ['*'] },
}

type Three = [one: TestHub, two: TestHub, three: TestHub]

const isPresence = (event: string, id: string) => (heard: Heard) =>
  heard.kind === 'presence' && heard.payload.event === event && heard.payload.participant.id === id
const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const isAnswer = (id: string) => (heard: Heard) => heard.payload?.id === id && heard.payload.method === undefined

/** Everybody is known everywhere. */
async function allKnow(instances: readonly TestHub[], ids: readonly string[]): Promise<void> {
  for (const { hub } of instances) {
    await expect.poll(() => [...(hub.status()[0]?.here ?? [])].sort()).toEqual([...ids].sort())
  }
}

/** Says which tool agent-b has, each time it is asked. */
function hasTool(b: RawParticipant, name: string): void {
  b.socket.on('message', (data) => {
    const { from, payload } = JSON.parse(String(data)) as Heard
    if (payload?.method !== 'tools/list') return
    const result = { tools: [{ name, inputSchema: { type: 'object' } }] }
    b.send(envelope('agent-b', [from], { jsonrpc: '2.0', id: payload.id, result }))
  })
}

const done = (id: string) => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'Done.' }] } })
const yes = (id: string) => ({ jsonrpc: '2.0', id, result: { action: 'accept', content: { approve: true } } })

describe.each(Object.entries(serverStores))('a space of several instances on %s', (_, freshStore) => {
  const three = async (settings: Parameters<typeof startInstances>[2] = {}) =>
    (await startInstances(await freshStore(), 3, { participants, ...settings })) as Three

  test('who joins, is alive or leaves at one instance is known at all', async () => {
    const instances = await three()
    const [one, two, three_] = instances
    const a = await one.raw('agent-a')
    const b = await two.raw('agent-b')
    await a.hears(isPresence('join', 'agent-b'))
    await allKnow(instances, ['agent-a', 'agent-b'])
    const user = await three_.raw('user-1')
    const { payload } = await user.hears((heard) => heard.payload?.event === 'welcome')
    expect(payload.participants.map(({ id }: { id: string }) => id).sort()).toEqual(['agent-a', 'agent-b', 'user-1'])
    b.send(envelope('agent-b', [], { event: 'heartbeat' }, { kind: 'presence' }))
    await a.hears(isPresence('heartbeat', 'agent-b'))
    b.socket.close(1000)
    await a.hears(isPresence('leave', 'agent-b'))
    await user.hears(isPresence('leave', 'agent-b'))
    await allKnow(instances, ['agent-a', 'user-1'])
    expect(a.heard.filter(isPresence('join', 'agent-b'))).toHaveLength(1)
  })

  test('agent-a calls at one instance, a person allows it at another, agent-b runs it at the third: each step once', async () => {
    const instances = await three()
    const [one, two, three_] = instances
    const [a, b, user] = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')]
    hasTool(b, 'wipe')
    await allKnow(instances, ['agent-a', 'agent-b', 'user-1'])
    a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe' })))
    const question = await user.hears(isMethod('elicitation/create'))
    await a.hears((heard) => heard.payload?.event === 'pending')
    user.send(envelope('user-1', ['assent'], yes(question.payload.id)))
    await b.hears(isMethod('tools/call'))
    b.send(envelope('agent-b', ['agent-a'], done('c')))
    const answer = await a.hears(isAnswer('c'))
    expect(answer.payload.result._meta['assent/approval']).toMatchObject({ approvedBy: 'local', via: 'hub' })
    // Whatever came twice would have come before this, since every instance reads the log in its order.
    a.send(envelope('agent-a', [], { jsonrpc: '2.0', method: 'notifications/last' }))
    await Promise.all([b, user].map((each) => each.hears(isMethod('notifications/last'))))
    b.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', method: 'notifications/last' }))
    await a.hears(isMethod('notifications/last'))
    expect(b.heard.filter(isMethod('tools/call'))).toHaveLength(1)
    expect(a.heard.filter(isAnswer('c'))).toHaveLength(1)
    for (const { hub } of instances) await expect.poll(() => hub.status()[0]).toMatchObject({ open: 0, held: 0 })
    const histories = await Promise.all(
      instances.map(async ({ url }) => {
        const reply = await fetch(`${url.replace('ws:', 'http:')}/history`, { headers: { Authorization: 'Bearer a' } })
        return ((await reply.json()) as { history: Heard[] }).history.map(({ id }) => id)
      }),
    )
    expect(histories[1]).toEqual(histories[0])
    expect(histories[2]).toEqual(histories[0])
  })

  test('the question of an agent, answered in the space at one instance and in the inbox at another, has one answer', async () => {
    const [one, two, three_] = await three()
    const [b, user] = [await one.raw('agent-b'), await two.raw('user-1')]
    const requestedSchema = { type: 'object', properties: { approve: { type: 'boolean' } } }
    for (const id of ['q-1', 'q-2', 'q-3']) {
      b.send(
        envelope(
          'agent-b',
          ['user-1'],
          request(id, 'elicitation/create', { message: `May I ${id}?`, requestedSchema }),
        ),
      )
      await user.hears((heard) => heard.payload?.id === id)
      const [open] = await three_.assent.listOpen(inInbox, 10)
      user.send(envelope('user-1', ['agent-b'], yes(id)))
      await three_.assent.answer(open?.id as never, inInbox, { action: 'accept', content: { approve: true } })
      await b.hears(isAnswer(id))
    }
    // Answered in the inbox alone.
    b.send(
      envelope('agent-b', ['user-1'], request('q-4', 'elicitation/create', { message: 'And now?', requestedSchema })),
    )
    await expect.poll(async () => (await three_.assent.listOpen(inInbox, 10)).length).toBe(1)
    const [open] = await three_.assent.listOpen(inInbox, 10)
    await three_.assent.answer(open?.id as never, inInbox, { action: 'accept', content: { approve: false } })
    const { from, payload } = await b.hears(isAnswer('q-4'))
    expect([from, payload.result.content]).toEqual(['user-1', { approve: false }])
    for (const id of ['q-1', 'q-2', 'q-3', 'q-4']) expect(b.heard.filter(isAnswer(id))).toHaveLength(1)
  })

  test('who joins again at another instance gets what is left there, and the first connection ends with 1000', async () => {
    const [one, two, three_] = await three()
    const [a, b] = [await three_.raw('agent-a'), await one.raw('agent-b', { query: '?acks=1' })]
    await a.hears(isPresence('join', 'agent-b'))
    const first = envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/first' })
    a.send(first)
    await b.hears((heard) => heard.id === first.id)
    b.send(envelope('agent-b', ['assent'], { event: 'ack', received: 1 }, { kind: 'system' }))
    const second = envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/second' })
    a.send(second)
    await b.hears((heard) => heard.id === second.id)
    const again = await two.raw('agent-b', { query: '?acks=1' })
    expect(await b.closed).toEqual({ code: 1000, words: 'You joined again from elsewhere.' })
    const third = envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/third' })
    a.send(third)
    await again.hears((heard) => heard.id === third.id)
    expect(again.heard.flatMap(({ from, id }) => (from === 'agent-a' ? [id] : []))).toEqual([second.id, third.id])
    const { payload } = await a.hears(
      (heard) => isPresence('join', 'agent-b')(heard) && heard.payload.reason !== undefined,
    )
    expect(payload.reason).toBe('joined again from elsewhere')
    expect(a.heard.filter(isPresence('leave', 'agent-b'))).toEqual([])
  })

  test('what many send at once from several instances reaches everybody once, and in one order', async () => {
    const instances = await three({ limits: { burst: 1_000 } })
    const [one, two, three_] = instances
    const joined = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')] as const
    const names = ['agent-a', 'agent-b', 'user-1']
    await allKnow(instances, names)
    const many = 100
    for (let n = 0; n < many; n += 1) {
      for (const [place, each] of joined.entries()) {
        each.send(envelope(names[place] as string, [], { jsonrpc: '2.0', method: 'notifications/note', params: { n } }))
      }
    }
    const notes = (place: 0 | 1 | 2) => joined[place].heard.filter(isMethod('notifications/note'))
    for (const place of [0, 1, 2] as const) await expect.poll(() => notes(place).length).toBe(2 * many)
    const heardFrom = (place: 0 | 1 | 2, sender: string) =>
      notes(place).flatMap(({ from, id }) => (from === sender ? [id] : []))
    expect(heardFrom(1, 'agent-a')).toEqual(heardFrom(2, 'agent-a'))
    const of = (place: 0 | 1 | 2, without: string) =>
      notes(place).flatMap(({ from, id }) => (from === without ? [] : [`${from} ${id}`]))
    expect(new Set(of(0, ''))).toHaveLength
    expect(new Set(of(0, '')).size).toBe(2 * many)
    // Two who both hear the third hear it in the order of the log, which is one.
    expect(of(0, 'user-1')).toEqual(of(2, 'user-1').filter((one_) => of(0, 'user-1').includes(one_)))
  })

  test('a loop over several instances is refused', async () => {
    const instances = await three({
      participants: {
        ...participants,
        'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'], asks: 'itself' },
        'agent-b': { kind: 'agent', token: 'b', for: 'user-1', may: ['*'], asks: 'itself' },
      },
    })
    const [one, two] = instances
    const [a, b] = [await one.raw('agent-a'), await two.raw('agent-b')]
    a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'x' })))
    await b.hears(isMethod('tools/call'))
    b.send(envelope('agent-b', ['agent-a'], request('back', 'tools/call', { name: 'y' })))
    const { payload } = await b.hears((heard) => heard.payload?.code === 'bad-request')
    expect(payload.data).toEqual({ reason: 'loop' })
    expect(a.heard.filter(isMethod('tools/call'))).toEqual([])
  })

  test('a call that its caller gives up at another instance is not delivered when a person allows it', async () => {
    const instances = await three()
    const [one, two, three_] = instances
    const [a, b, user] = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')]
    hasTool(b, 'wipe')
    a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe' })))
    const question = await user.hears(isMethod('elicitation/create'))
    const again = await three_.raw('agent-a')
    await a.closed
    const params = { requestId: 'c' }
    again.send(envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/cancelled', params }))
    await user.hears(isMethod('notifications/cancelled'))
    for (const { hub } of instances) await expect.poll(() => hub.status()[0]).toMatchObject({ open: 0, held: 0 })
    user.send(envelope('user-1', ['assent'], yes(question.payload.id)))
    await expect.poll(async () => (await one.assent.get(question.payload.id))?.state.kind).toBe('answered')
    again.send(envelope('agent-a', ['agent-b'], { jsonrpc: '2.0', method: 'notifications/last' }))
    await b.hears(isMethod('notifications/last'))
    expect(b.heard.filter(isMethod('tools/call'))).toEqual([])
  })

  test('an instance that stops hands on what waits there: its agents leave, and the call runs from another', async () => {
    const [one, two, three_] = await three()
    const [a, b, user] = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')]
    hasTool(b, 'wipe')
    a.send(envelope('agent-a', ['agent-b'], request('c', 'tools/call', { name: 'wipe' })))
    await user.hears(isMethod('elicitation/create'))
    await one.stop()
    const { payload } = await user.hears(isPresence('leave', 'agent-a'))
    expect(payload.reason).toBe('The hub is going down.')
    // Asked again by the one that took over, under the same id.
    await expect.poll(() => user.heard.filter(isMethod('elicitation/create')).length).toBe(2)
    const [question, same] = user.heard.filter(isMethod('elicitation/create'))
    expect(same?.id).toBe(question?.id)
    const again = await three_.raw('agent-a')
    user.send(envelope('user-1', ['assent'], yes(question?.payload.id)))
    await b.hears(isMethod('tools/call'))
    b.send(envelope('agent-b', ['agent-a'], done('c')))
    await again.hears(isAnswer('c'))
    expect(b.heard.filter(isMethod('tools/call'))).toHaveLength(1)
  })
})
