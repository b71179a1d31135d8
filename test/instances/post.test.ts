import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import type { Mail } from '../../src/instance/mailbox.ts'
import { createPost, type Post } from '../../src/instance/post.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { envKeys, formatKey, makeKey } from '../../src/vault/keys.ts'
import { createVault } from '../../src/vault/vault.ts'

const vault = createVault(envKeys(formatKey(makeKey())))

function aPost(store: Pick<Store, 'instances' | 'mailbox' | 'clock'>): Post {
  const post = createPost({ store, vault, clock: systemClock, onError() {} })
  post.join()
  onTestFinished(() => post.leave())
  return post
}

test('mail whose reply from the store is lost is heard all the same, and once', async () => {
  const store = openMemoryStore()
  let lost = 0
  const mailbox = {
    ...store.mailbox,
    async take(...given: Parameters<Store['mailbox']['take']>) {
      const taken = await store.mailbox.take(...given)
      if (taken.length > 0 && lost++ === 0) throw new Error('the connection broke')
      return taken
    },
  }
  const reader = aPost({ ...store, mailbox })
  const writer = aPost(store)
  const heard: unknown[] = []
  reader.on('word', ({ n }) => heard.push(n))
  await expect.poll(() => writer.isThere(reader.id)).toBe(true)
  for (const n of [1, 2, 3]) expect(await writer.send(reader.id, { kind: 'word', n })).toBe(true)
  await expect.poll(() => heard.length).toBe(3)
  expect(heard).toEqual([1, 2, 3])
  expect(lost).toBeGreaterThan(0)
  await expect.poll(async () => (await store.mailbox.take(reader.id, 10, [])).length).toBe(0)
})

test('mail that another server hands out again, as it never learned that it was removed, is heard once', async () => {
  const store = openMemoryStore()
  const removed: Mail[] = []
  const mailbox = {
    ...store.mailbox,
    async take(...given: Parameters<Store['mailbox']['take']>) {
      const taken = await store.mailbox.take(...given)
      const again = given[2].length > 0 ? removed.splice(0) : []
      removed.push(...taken)
      return [...again, ...taken]
    },
  }
  const reader = aPost({ ...store, mailbox })
  const writer = aPost(store)
  const heard: unknown[] = []
  reader.on('word', ({ n }) => heard.push(n))
  await expect.poll(() => writer.isThere(reader.id)).toBe(true)
  for (const n of [1, 2, 3]) expect(await writer.send(reader.id, { kind: 'word', n })).toBe(true)
  await expect.poll(() => heard.includes(3)).toBe(true)
  await expect.poll(() => removed.length).toBe(0)
  expect(heard).toEqual([1, 2, 3])
})
