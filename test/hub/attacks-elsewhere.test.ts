import { describe, expect, test } from 'vitest'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, type Heard, type RawParticipant, request, startInstances, type TestHub } from '../support/hub/hub.ts'
import { serverStores } from '../support/stores.ts'

const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'user-2': { kind: 'human', token: 'u2', participant: 'bob@https://login.example.com' as never },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', may: ['*'] },
  'agent-c': { kind: 'agent', token: 'c', for: 'user-1', may: ['*'], asks: 'itself' },
}

const isError = (code: string) => (heard: Heard) => heard.payload?.code === code
const isMethod = (method: string) => (heard: Heard) => heard.payload?.method === method
const note = (from: string, to: string[], params: object = {}) =>
  envelope(from, to, { jsonrpc: '2.0', method: 'notifications/note', params })
const yes = (from: string, to: string, id: string | number) =>
  envelope(from, [to], { jsonrpc: '2.0', id, result: { action: 'accept', content: { approve: true } } })
const last = (from: string, to: string) => envelope(from, [to], { jsonrpc: '2.0', method: 'notifications/last' })
const isLast = isMethod('notifications/last')

/** Says that agent-b has the tool `wipe`, each time it is asked. */
function hasTool(b: RawParticipant): void {
  b.socket.on('message', (data) => {
    const { payload } = JSON.parse(String(data)) as Heard
    if (payload?.method !== 'tools/list') return
    const tools = [{ name: 'wipe', inputSchema: { type: 'object' } }]
    b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
  })
}

/** The space is as they see it at each instance. */
async function allKnow(instances: readonly TestHub[], ids: readonly string[]): Promise<void> {
  for (const { hub } of instances) {
    await expect.poll(() => [...(hub.status()[0]?.here ?? [])].sort()).toEqual([...ids].sort())
  }
}

describe.each(Object.entries(serverStores))(
  'attacks from another instance than the victim’s, on %s',
  (_, freshStore) => {
    const three = async (settings: Parameters<typeof startInstances>[2] = {}) =>
      (await startInstances(await freshStore(), 3, { participants, ...settings })) as [TestHub, TestHub, TestHub]

    /** A call of agent-a at the first instance, of agent-b at the second, that waits for user-1 at the third. */
    async function heldCall() {
      const instances = await three()
      const [one, two, three_] = instances
      const [a, b, user] = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')]
      hasTool(b)
      await allKnow(instances, ['agent-a', 'agent-b', 'user-1'])
      a.send(envelope('agent-a', ['agent-b'], request('call-1', 'tools/call', { name: 'wipe', arguments: {} })))
      const { payload } = await user.hears(isMethod('elicitation/create'))
      const calls = () => b.heard.filter(isMethod('tools/call'))
      const isOpen = async () => (await one.assent.get(payload.id))?.state.kind === 'open'
      return { instances, one, two, three: three_, a, b, user, question: payload.id as string, calls, isOpen }
    }

    test('forged from: what is sent in the name of somebody who joined elsewhere reaches nobody', async () => {
      const [one, two, three_] = await three()
      const [a, b, user] = [await one.raw('agent-a'), await two.raw('agent-b'), await three_.raw('user-1')]
      a.send(envelope('user-1', ['agent-b'], request(1, 'ping')))
      a.send(note('user-1', []))
      await expect.poll(() => a.heard.filter(isError('forged-from')).length).toBe(2)
      a.send(last('agent-a', 'agent-b'))
      a.send(last('agent-a', 'user-1'))
      for (const each of [b, user]) {
        await each.hears(isLast)
        expect(each.heard.filter(({ kind, from }) => kind === 'mcp' && from !== 'agent-a')).toEqual([])
      }
    })

    test('a ticket lets in at one of the instances, also when it is used at all of them at once', async () => {
      const instances = await three()
      const ticket = String(await instances[0].hub.ticket('ops', 'user-1'))
      const query = `?ticket=${encodeURIComponent(ticket)}`
      const came = await Promise.all(instances.map((instance) => instance.raw('nobody', { query })))
      const ends = await Promise.all(
        came.map(({ hears, closed }) =>
          hears((heard) => heard.payload?.event === 'welcome').then(
            () => 'welcome',
            async () => (await closed).words,
          ),
        ),
      )
      const refused = 'This ticket was used, is over, or was never made.'
      expect(ends.sort()).toEqual([refused, refused, 'welcome'])
      for (const instance of instances) {
        expect((await (await instance.raw('nobody', { query })).closed).words).toBe(refused)
      }
    })

    test('the caller cannot approve its own call through a second socket at any instance', async () => {
      const { instances, a, question, calls, isOpen } = await heldCall()
      let before = a
      for (const instance of instances.slice(1)) {
        const second = await instance.raw('agent-a')
        expect(await before.closed).toMatchObject({ code: 1000, words: 'You joined again from elsewhere.' })
        second.send(yes('agent-a', 'assent', question))
        await second.hears(isError('answer-refused'))
        before = second
      }
      expect(calls()).toEqual([])
      expect(await isOpen()).toBe(true)
    })

    test('neither an agent of the caller’s person, nor the agent that is called, nor a stranger can approve', async () => {
      const { instances, b, user, question, calls, isOpen } = await heldCall()
      b.send(yes('agent-b', 'assent', question))
      await b.hears(isError('answer-refused'))
      for (const id of ['agent-c', 'user-2']) {
        for (const instance of instances) {
          const other = await instance.raw(id)
          other.send(yes(id, 'assent', question))
          await other.hears(isError('answer-refused'))
          expect(other.heard.filter(isMethod('elicitation/create'))).toEqual([])
        }
      }
      expect(calls()).toEqual([])
      expect(await isOpen()).toBe(true)
      user.send(yes('user-1', 'assent', question))
      await expect.poll(() => calls().length).toBe(1)
    })

    test('an answer to the question that another was asked elsewhere goes nowhere', async () => {
      const [one, two, three_] = await three()
      const [c, user, stranger] = [await one.raw('agent-c'), await two.raw('user-1'), await three_.raw('user-2')]
      const b = await three_.raw('agent-b')
      const requestedSchema = { type: 'object', properties: { approve: { type: 'boolean' } } }
      c.send(
        envelope('agent-c', ['user-1'], request('q', 'elicitation/create', { message: 'May I?', requestedSchema })),
      )
      await user.hears(isMethod('elicitation/create'))
      stranger.send(yes('user-2', 'agent-c', 'q'))
      await stranger.hears(isError('not-pending'))
      b.send(yes('agent-b', 'agent-c', 'q'))
      await b.hears(isError('not-pending'))
      user.send(yes('user-1', 'agent-c', 'q'))
      await c.hears((heard) => heard.payload?.result !== undefined)
      expect(c.heard.filter((heard) => heard.payload?.result !== undefined).map(({ from }) => from)).toEqual(['user-1'])
    })

    test('an envelope that is replayed at another instance is delivered once, and its id is good for no other', async () => {
      const [one, two, three_] = await three()
      const [a, b] = [await one.raw('agent-a'), await three_.raw('agent-b')]
      const first = note('agent-a', ['agent-b'], { n: 1 })
      a.send(first)
      await b.hears((heard) => heard.id === first.id)
      const again = await two.raw('agent-a')
      again.send(first)
      again.send({ ...first, payload: { jsonrpc: '2.0', method: 'notifications/note', params: { n: 2 } } })
      await again.hears(isError('id-used'))
      again.send(last('agent-a', 'agent-b'))
      await b.hears(isLast)
      expect(b.heard.filter(isMethod('notifications/note'))).toEqual([first])
    })

    test('a yes that is said again at another instance runs nothing again', async () => {
      const { one, user, b, question, calls } = await heldCall()
      user.send(yes('user-1', 'assent', question))
      await b.hears(isMethod('tools/call'))
      const again = await one.raw('user-1')
      again.send(yes('user-1', 'assent', question))
      await again.hears(isError('not-pending'))
      again.send(last('user-1', 'agent-b'))
      await b.hears(isLast)
      expect(calls()).toHaveLength(1)
    })

    test('nobody but the caller can give up a call that waits', async () => {
      const { one, three: three_, b, user, question, calls } = await heldCall()
      const [c, other] = [await one.raw('agent-c'), await three_.raw('user-2')]
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'call-1' } }
      c.send(envelope('agent-c', ['agent-b'], cancelled))
      c.send(last('agent-c', 'user-2'))
      await other.hears(isLast)
      user.send(yes('user-1', 'assent', question))
      await b.hears(isMethod('tools/call'))
      expect(calls()).toHaveLength(1)
    })

    test('an answer to a question about tools that was never asked reaches no instance, whatever its id names', async () => {
      const [one, two] = await three()
      const [b, c] = [await one.raw('agent-b'), await two.raw('agent-c')]
      const result = { tools: [{ name: 'wipe', inputSchema: { type: 'object' } }] }
      b.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: 'tools-nobody~1', result }))
      await b.hears(isError('not-pending'))
      b.send(last('agent-b', 'agent-c'))
      await c.hears(isLast)
    })

    test('a flood at one instance is told there, and hardly any of it reaches another', async () => {
      const instances = await three({ limits: { burst: 20, envelopesPerSecond: 0.01 } })
      const [one, two] = instances
      const [a, c] = [await one.raw('agent-a'), await two.raw('agent-c')]
      // Whoever came and went before the others knew is not told of as having left.
      await allKnow(instances, ['agent-a', 'agent-c'])
      for (let n = 0; n < 1_100; n += 1) a.send(note('agent-a', ['agent-c'], { n }))
      await a.hears(isError('too-many'))
      expect(await a.closed).toMatchObject({ code: 1008, words: 'You sent too much for too long.' })
      const left = await c.hears((heard) => heard.payload?.event === 'leave')
      expect(left.payload.reason).toBe('You sent too much for too long.')
      expect(c.heard.filter(isMethod('notifications/note')).length).toBeLessThan(40)
    })

    test('1 MB, half a frame and rubbish at one instance harm nobody at another', async () => {
      const instances = await three({ times: { heartbeat: 1_000 } })
      const [one, two] = instances
      const [a, c] = [await one.raw('agent-a'), await two.raw('agent-c')]
      await allKnow(instances, ['agent-a', 'agent-c'])
      a.send(note('agent-a', ['agent-c'], { big: 'x'.repeat(1_000_000) }))
      await a.hears(isError('too-large'))
      a.send('{')
      await a.hears(isError('unreadable'))
      const half = (a.socket as unknown as { _socket: { write(data: Buffer): void; pause(): void } })._socket
      half.write(Buffer.from([0x81, 0xfe]))
      half.pause()
      const left = await c.hears((heard) => heard.payload?.event === 'leave')
      expect(left.payload).toMatchObject({ participant: { id: 'agent-a' }, reason: 'No sign of life.' })
      expect(c.heard.filter(({ from }) => from === 'agent-a')).toEqual([])
    })

    test('who never reads is disconnected, and whoever sends to them from another instance is told', async () => {
      const instances = await three({
        limits: { unreadBytes: 100_000, envelopesPerSecond: 100_000, burst: 100_000 },
      })
      const [one, two] = instances
      const [a, c] = [await one.raw('agent-a'), await two.raw('agent-c')]
      await allKnow(instances, ['agent-a', 'agent-c'])
      ;(c.socket as unknown as { _socket: { pause(): void } })._socket.pause()
      let isGone = false
      const left = a.hears((heard) => heard.payload?.event === 'leave')
      const gone = left.then(() => (isGone = true))
      while (!isGone) {
        a.send(note('agent-a', ['agent-c'], { big: 'x'.repeat(200_000) }))
        await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 25))])
      }
      expect((await left).payload.reason).toContain('You do not read')
      await allKnow(instances, ['agent-a'])
    })
  },
)
