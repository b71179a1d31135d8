import { expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../../src/base/clock.ts'
import { createRemoteCalls } from '../../../src/gateway/upstream/held/remote-calls.ts'
import { serveCalls } from '../../../src/gateway/upstream/held/serve-calls.ts'
import type { Post, Word } from '../../../src/instance/post.ts'
import { fixedClock } from '../../../src/testing/fixed-clock.ts'
import { aClient } from './upstreams.ts'

type Hear = (word: Word, from: string, at: Date) => void

/** Two instances whose mail is read only when the test says so. */
function twoPosts(clock: Clock) {
  const mail: { readonly to: string; readonly from: string; readonly word: Word; readonly at: Date }[] = []
  const hearers = new Map<string, Map<string, Hear>>([
    ['sender', new Map()],
    ['holder', new Map()],
  ])
  const postOf = (id: string) => {
    const leave = async (to: string, word: Word) => {
      mail.push({ to, from: id, word: JSON.parse(JSON.stringify(word)), at: clock.now() })
      return true
    }
    return {
      id,
      on(kind: string, hear: Hear) {
        hearers.get(id)?.set(kind, hear)
        return () => {}
      },
      send: leave,
      reply: leave,
      isThere: async () => true,
    } as unknown as Post
  }
  /** Lets these instances read what was left for them, until there is nothing more. */
  async function deliver(...to: string[]): Promise<void> {
    for (;;) {
      const at = mail.findIndex((one) => to.includes(one.to))
      const [next] = at < 0 ? [] : mail.splice(at, 1)
      if (next === undefined) return
      hearers.get(next.to)?.get(String(next.word.kind))?.(next.word, next.from, next.at)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const lose = () => void mail.splice(0)
  return { sender: postOf('sender'), holder: postOf('holder'), deliver, lose }
}

function meet() {
  const clock = fixedClock()
  const { sender, holder, deliver, lose } = twoPosts(clock)
  const ran: string[] = []
  const upstreams = new Map([
    [
      'up',
      async ({ method }: { method: string }) => {
        ran.push(method)
        return { kind: 'result' as const, result: { content: [] } }
      },
    ],
  ])
  serveCalls(upstreams, holder, clock, () => {})
  const remote = createRemoteCalls(sender, clock)
  onTestFinished(() => remote.close())
  const call = (late: () => Promise<boolean>) =>
    remote.call('holder', 'up', {
      ...aClient,
      method: 'tools/call',
      params: { name: 'act' },
      signal: new AbortController().signal,
      hooks: { late },
    })
  return { clock, deliver, lose, ran, call }
}

test('a call is made at the instance that holds its session, and not asked about where it is read at once', async () => {
  const { deliver, ran, call } = meet()
  const calling = call(async () => expect.unreachable())
  await deliver('holder', 'sender')
  expect(await calling).toMatchObject({ kind: 'result' })
  expect(ran).toEqual(['tools/call'])
})

test.each([
  [true, { kind: 'result' }, ['tools/call']],
  [false, { kind: 'lost', reason: 'cancelled', sent: false }, []],
] as const)('a call that waited long in the mail is made only if it is wanted still: %s', async (wanted, end, runs) => {
  const { clock, deliver, ran, call } = meet()
  const calling = call(async () => wanted)
  clock.advance(5_000)
  await deliver('holder', 'sender')
  expect(await calling).toMatchObject(end)
  expect(ran).toEqual(runs)
})

test('a call that waited long in the mail is not made for a sender that is gone', async () => {
  const { clock, deliver, ran, call } = meet()
  void call(async () => true)
  clock.advance(5_000)
  await deliver('holder')
  clock.advance(60_000)
  await deliver('holder')
  expect(ran).toEqual([])
})

test('whether a call is wanted still is asked again if that word was lost', async () => {
  const { clock, deliver, lose, ran, call } = meet()
  const calling = call(async () => true)
  clock.advance(5_000)
  await deliver('holder')
  lose()
  clock.advance(5_000)
  await deliver('holder', 'sender')
  expect(await calling).toMatchObject({ kind: 'result' })
  expect(ran).toEqual(['tools/call'])
})
