import { expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { createRemoteCalls } from '../../src/gateway/upstream/held/remote-calls.ts'
import { serveCalls } from '../../src/gateway/upstream/held/serve-calls.ts'
import type { UpstreamHooks, UpstreamReply, UpstreamRequest } from '../../src/gateway/upstream/upstream.ts'
import { createPost, type Post } from '../../src/instance/post.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { envKeys, formatKey, makeKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'

const vault = createVault(envKeys(formatKey(makeKey())))
const said = (text: string): UpstreamReply => ({ kind: 'result', result: { content: [{ type: 'text', text }] } })
const form = { message: 'Which branch?' }

interface Options {
  /** By the clock of the holder, requests come so much later than they were sent. */
  readonly lateMs?: number
  /** What the holder sees of the store, and what the sender sees. */
  readonly seen?: (store: Store) => Partial<Store>
  readonly seenBySender?: (store: Store) => Partial<Store>
}

/** Two instances, the first of which holds a session with a server that asks which branch, and then says what it was told. */
async function holderAndSender({ lateMs = 0, seen = () => ({}), seenBySender = () => ({}) }: Options = {}) {
  const store = openMemoryStore()
  const postIn = (seen: Store) => createPost({ store: seen, vault, clock: systemClock, onError() {} })
  const [holder, sender] = [postIn({ ...store, ...seen(store) }), postIn({ ...store, ...seenBySender(store) })]
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + lateMs) }
  let runs = 0
  const send = async ({ hooks, method, params, signal }: UpstreamRequest) => {
    runs += 1
    if (method !== 'ask') return said('done')
    return said(JSON.stringify(await hooks?.asked?.('elicitation/create', params, signal as AbortSignal)))
  }
  const served = serveCalls(new Map([['up', send]]), holder, clock, () => {})
  const remote = createRemoteCalls(sender, systemClock)
  for (const post of [holder, sender]) post.join()
  onTestFinished(async () => {
    remote.close()
    await served.close()
    for (const post of [holder, sender]) await post.leave()
  })
  await expect.poll(() => sender.isThere(holder.id)).toBe(true)
  return {
    runs: () => runs,
    call(method: string, hooks: UpstreamHooks = {}) {
      const client = { requester: { participant: 'alice', client: 'desk' }, signal: new AbortController().signal }
      return remote.call(holder.id, 'up', { ...client, method, params: form, hooks } as unknown as UpstreamRequest)
    },
  }
}

/** A mailbox that loses the first mail that is left in it. */
function losingFirst({ mailbox }: Store): Pick<Store, 'mailbox'> {
  let lost = 0
  return {
    mailbox: {
      ...mailbox,
      put: async (...given) => (lost++ === 0 ? true : mailbox.put(...given)),
    },
  }
}

const answered = said('{"result":{"action":"accept"}}')
const accepting = () => {
  const asked: unknown[] = []
  const hooks: UpstreamHooks = {
    async asked(_, params) {
      asked.push(params)
      return { result: { action: 'accept' } }
    },
  }
  return { asked, hooks }
}

test('a request that is left for the holder of a session is made there, and its reply comes back', async () => {
  const { runs, call } = await holderAndSender()
  expect(await call('run')).toEqual(said('done'))
  expect(runs()).toBe(1)
})

test('attack: an instance that stood still makes no call that was left for it long ago', async () => {
  const { runs, call } = await holderAndSender({ lateMs: 60_000 })
  expect(await call('run')).toMatchObject({ kind: 'lost', sent: false })
  expect(runs()).toBe(0)
})

test('a question reaches a sender that the store does not know yet, and its answer the server', async () => {
  const { asked, hooks } = accepting()
  const nobodyElse = ({ instances }: Store) => ({ instances: { ...instances, list: async () => [] } })
  const { call } = await holderAndSender({ seen: nobodyElse })
  expect(await call('ask', hooks)).toEqual(answered)
  expect(asked).toEqual([form])
})

test('a question that was lost on its way is told again', async () => {
  const { asked, hooks } = accepting()
  const { call } = await holderAndSender({ seen: losingFirst })
  expect(await call('ask', hooks)).toEqual(answered)
  expect(asked).toEqual([form])
})

test('an answer that was lost on its way is told again, and nobody is asked twice', async () => {
  const { asked, hooks } = accepting()
  let puts = 0
  const losingAnswer = ({ mailbox }: Store): Partial<Store> => ({
    mailbox: { ...mailbox, put: async (...given) => (++puts === 2 ? true : mailbox.put(...given)) },
  })
  const { call } = await holderAndSender({ seenBySender: losingAnswer })
  expect(await call('ask', hooks)).toEqual(answered)
  expect(asked).toEqual([form])
})

test('a question that cannot be asked is refused, and the server does not wait', async () => {
  const { call } = await holderAndSender()
  const asked = () => Promise.reject(new Error('the store is gone'))
  expect(await call('ask', { asked })).toEqual(said(expect.stringContaining('could not be asked') as never))
})

test('what a call was asked that ended meanwhile is refused, for another request of its session may wait for it', async () => {
  const told: unknown[] = []
  const store = openMemoryStore()
  const [holder, sender] = [1, 2].map(() => createPost({ store, vault, clock: systemClock, onError() {} })) as [
    Post,
    Post,
  ]
  const send = async ({ hooks, params, signal }: UpstreamRequest) => {
    void hooks?.asked?.('roots/list', params, signal as AbortSignal).then((reply) => told.push(reply))
    return said('done')
  }
  const served = serveCalls(new Map([['up', send]]), holder, systemClock, () => {})
  const remote = createRemoteCalls(sender, systemClock)
  for (const post of [holder, sender]) post.join()
  onTestFinished(async () => {
    remote.close()
    await served.close()
    for (const post of [holder, sender]) await post.leave()
  })
  await expect.poll(() => sender.isThere(holder.id)).toBe(true)
  const hooks = { asked: () => new Promise<never>(() => {}) }
  const client = { requester: { participant: 'alice', client: 'desk' }, signal: new AbortController().signal }
  const request = { ...client, method: 'ask', params: form, hooks } as unknown as UpstreamRequest
  expect(await remote.call(holder.id, 'up', request)).toEqual(said('done'))
  await expect.poll(() => told).toMatchObject([{ error: { message: expect.stringContaining('is over') } }])
})
