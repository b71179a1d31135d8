import { deepEqual, equal } from 'node:assert/strict'
import type { UsageStore } from '../../../approval/limits/usage.ts'
import type { ContractTest } from '../contract-test.ts'

const many = 1_000
const until = new Date('2026-01-01T01:00:00.000Z')
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const taken = (all: readonly boolean[]) => all.filter(Boolean).length

const contractTest = (name: string, run: (store: UsageStore) => Promise<void>): ContractTest => ({
  name: `usage: ${name}`,
  run: ({ store }) => run(store.usage),
})

export const usageContract: readonly ContractTest[] = [
  contractTest('of two hundred who take at once, as many get it as fit, and no more is used', async (store) => {
    equal(taken(await Promise.all(times(200, () => store.take('a', 7, 100, until)))), 14)
    deepEqual(await store.used(['a']), [98])
    equal(await store.take('a', 3, 100, until), false)
    equal(await store.take('a', 2, 100, until), true)
    deepEqual(await store.used(['a']), [100])
  }),
  contractTest('keys are counted apart, and nothing is used of one that is not known', async (store) => {
    equal(await store.take('a', 1, 1, until), true)
    equal(await store.take('a ', 1, 1, until), true)
    equal(await store.take('A', 1, 1, until), true)
    deepEqual(await store.used(['a', 'never', 'A']), [1, 0, 1])
    deepEqual(await store.used([]), [])
  }),
  contractTest('what is more than fits is not taken, also as the first', async (store) => {
    equal(await store.take('a', 11, 10, until), false)
    deepEqual(await store.used(['a']), [0])
    equal(await store.take('a', 10, 10, until), true)
    equal(await store.take('a', 0, 10, until), true)
    equal(await store.take('a', 0, 9, until), false)
  }),
  contractTest('large numbers are counted to the last digit', async (store) => {
    const most = 9_007_199_254_740_000
    equal(await store.take('a', most - 1, most, until), true)
    equal(await store.take('a', 2, most, until), false)
    equal(await store.take('a', 1, most, until), true)
    deepEqual(await store.used(['a']), [most])
    await store.giveBack('a', 1)
    deepEqual(await store.used(['a']), [most - 1])
  }),
  contractTest('what is given back can be taken again, and never more than was taken', async (store) => {
    equal(await store.take('a', 10, 10, until), true)
    await store.giveBack('a', 4)
    deepEqual(await store.used(['a']), [6])
    equal(await store.take('a', 5, 10, until), false)
    equal(await store.take('a', 4, 10, until), true)
    await store.giveBack('a', 11)
    await store.giveBack('never', 1)
    deepEqual(await store.used(['a', 'never']), [0, 0])
  }),
  contractTest('counts whose `until` date has passed are deleted, and no others', async (store) => {
    const before = new Date(until.getTime() - 1)
    for (const key of ['a', 'b', 'c']) await store.take(key, 1, 1, before)
    await store.take('kept', 1, 1, until)
    equal(await store.deleteUsage(before, many), 0)
    equal(await store.deleteUsage(until, 2), 2)
    equal(await store.deleteUsage(until, many), 1)
    equal(await store.deleteUsage(until, many), 0)
    deepEqual(await store.used(['a', 'b', 'c', 'kept']), [0, 0, 0, 1])
  }),
  {
    name: 'usage: of many who take through two openings at once, as many get it as fit',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const other = await reopen()
      try {
        const all = times(200, (index) => (index % 2 === 0 ? store : other).usage.take('a', 3, 100, until))
        equal(taken(await Promise.all(all)), 33)
        deepEqual(await other.usage.used(['a']), [99])
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'usage: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      await store.usage.take('a', 3, 100, until)
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.usage.used(['a']), [3])
      } finally {
        await reopened.close()
      }
    },
  },
]
