import { deepEqual, equal, rejects } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Browser, BrowserStore } from '../../../participant/browser.ts'
import { alice, bob } from '../../elicitations.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes))
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

function aBrowser(over: Partial<Browser> = {}): Browser {
  const id = randomUUID()
  return {
    id,
    key: `key of ${id}`,
    participant: alice,
    groups: ['ops'],
    by: 'link',
    name: 'Firefox on Linux',
    createdAt: at(0),
    expiresAt: at(10),
    ...over,
  }
}

async function added(store: BrowserStore, over: Partial<Browser> = {}): Promise<Browser> {
  const browser = aBrowser(over)
  await store.add(browser)
  return browser
}

const contractTest = (name: string, run: (store: BrowserStore) => Promise<void>): ContractTest => ({
  name: `browsers: ${name}`,
  run: ({ store }) => run(store.browsers),
})

/** Text that gets lost in careless stores. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a'
const awkward = `${text} \u0000 \ud800 \n\r\t \u202e`

export const browserContract: readonly ContractTest[] = [
  contractTest('a browser is returned exactly as stored', async (store) => {
    const plain = await added(store, { groups: [], by: 'login' })
    const full = await added(store, {
      id: text,
      key: `key ${text}`,
      groups: [awkward, '', 'b'],
      name: awkward,
      createdAt: new Date(1),
      expiresAt: new Date('2199-12-31T23:59:59.999Z'),
    })
    for (const browser of [plain, full]) deepEqual(await store.getByKey(browser.key), browser)
    deepEqual(await store.list(alice), [plain, full])
  }),
  contractTest(
    'the browsers of everybody are listed, the one added last first, and no more than asked for',
    async (store) => {
      deepEqual(await store.listLatest(many), [])
      const first = await added(store, { createdAt: at(5) })
      const second = await added(store, { participant: bob, by: 'login' })
      const third = await added(store)
      deepEqual(await store.listLatest(many), [third, second, first])
      deepEqual(await store.listLatest(2), [third, second])
      await store.remove(alice, third.id)
      deepEqual(await store.listLatest(1), [second])
    },
  ),
  contractTest('an unknown browser is absent', async (store) => {
    await added(store, { key: 'key' })
    for (const key of ['', 'KEY', 'key ', 'ke', 'key\u0000', '\u0000']) equal(await store.getByKey(key), undefined)
    equal(await store.remove(alice, 'nothing'), false)
    equal(await store.remove(alice, '\u0000'), false)
    deepEqual(await store.list(bob), [])
    equal(await store.forget(bob), 0)
  }),
  contractTest('of two browsers with one id or one key only the first is stored', async (store) => {
    const first = await added(store)
    await rejects(store.add(aBrowser({ id: first.id, participant: bob })))
    await rejects(store.add(aBrowser({ key: first.key, participant: bob })))
    deepEqual(await store.getByKey(first.key), first)
    deepEqual(await store.list(bob), [])
  }),
  contractTest('of twenty concurrent adds of one key, exactly one succeeds', async (store) => {
    const all = times(20, (index) => aBrowser({ key: 'the same', name: `${index}` }))
    const added = await Promise.allSettled(all.map((browser) => store.add(browser)))
    const won = added.map(({ status }) => status === 'fulfilled')
    equal(won.filter(Boolean).length, 1)
    deepEqual(await store.list(alice), [all[won.indexOf(true)]])
  }),
  contractTest('a list has the browsers of one participant, oldest first', async (store) => {
    const [first, , second] = [await added(store), await added(store, { participant: bob }), await added(store)]
    deepEqual(await store.list(alice), [first, second])
  }),
  contractTest('a browser is removed only for its participant, and once', async (store) => {
    const browser = await added(store)
    equal(await store.remove(bob, browser.id), false)
    deepEqual(await store.getByKey(browser.key), browser)
    const removed = await Promise.all(times(20, () => store.remove(alice, browser.id)))
    equal(removed.filter(Boolean).length, 1)
    equal(await store.getByKey(browser.key), undefined)
    deepEqual(await store.list(alice), [])
  }),
  contractTest('an expired browser is stored until it is deleted, and no other is deleted', async (store) => {
    const over = [await added(store, { expiresAt: at(1) }), await added(store, { expiresAt: at(2) })]
    const stays = await added(store, { expiresAt: at(3) })
    for (const browser of over) deepEqual(await store.getByKey(browser.key), browser)
    equal(await store.deleteOver(at(1), many), 0)
    equal(await store.deleteOver(at(3), 1), 1)
    equal(await store.deleteOver(at(3), many), 1)
    equal(await store.deleteOver(at(3), many), 0)
    deepEqual(await store.list(alice), [stays])
  }),
  contractTest('forgetting a participant deletes their browsers and nobody else’s', async (store) => {
    const mine = [await added(store), await added(store)]
    const theirs = await added(store, { participant: bob })
    equal(await store.forget(alice), 2)
    for (const { key } of mine) equal(await store.getByKey(key), undefined)
    deepEqual(await store.list(alice), [])
    deepEqual(await store.list(bob), [theirs])
  }),
  {
    name: 'browsers: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const all = [await added(store.browsers), await added(store.browsers)]
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.browsers.list(alice), all)
      } finally {
        await reopened.close()
      }
    },
  },
]
