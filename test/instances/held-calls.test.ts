import { expect, onTestFinished, test } from 'vitest'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { createRemoteCalls } from '../../src/gateway/upstream/held/remote-calls.ts'
import { serveCalls } from '../../src/gateway/upstream/held/serve-calls.ts'
import type { UpstreamReply, UpstreamRequest } from '../../src/gateway/upstream/upstream.ts'
import { createPost, type Post } from '../../src/instance/post.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { envKeys, formatKey, makeKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'

const vault = createVault(envKeys(formatKey(makeKey())))
const done: UpstreamReply = { kind: 'result', result: { content: [] } }
const request = {
  requester: { participant: 'alice', client: 'desk' },
  method: 'tools/call',
  params: { name: 'run', arguments: {} },
  signal: new AbortController().signal,
} as unknown as UpstreamRequest

/** Two instances, the first of which holds a session; by its clock it takes requests so much later than they were sent. */
async function holderAndSender(lateMs: number) {
  const store = openMemoryStore()
  const [holder, sender] = [1, 2].map(() => createPost({ store, vault, clock: systemClock, onError() {} })) as [
    Post,
    Post,
  ]
  const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + lateMs) }
  const runs: UpstreamRequest[] = []
  const send = async (sent: UpstreamRequest) => {
    runs.push(sent)
    return done
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
  return { runs, call: () => remote.call(holder.id, 'up', request) }
}

test('a request that is left for the holder of a session is made there, and its reply comes back', async () => {
  const { runs, call } = await holderAndSender(0)
  expect(await call()).toEqual(done)
  expect(runs).toHaveLength(1)
})

test('attack: an instance that stood still makes no call that was left for it long ago', async () => {
  const { runs, call } = await holderAndSender(60_000)
  expect(await call()).toMatchObject({ kind: 'lost', sent: false })
  expect(runs).toEqual([])
})
