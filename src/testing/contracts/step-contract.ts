import { deepEqual, equal } from 'node:assert/strict'
import type { Sealed } from '../../base/seal.ts'
import type { StepKey, StepStore } from '../../call/step.ts'
import type { ContractTest } from './contract-test.ts'

const many = 1_000
const until = new Date('2026-01-01T01:00:00.000Z')
const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

const step = (walkId: string, name = 'call'): StepKey => ({ walkId, name })
const sealed = (key: string, box = `v1.${key}`): Sealed => ({ key, box })

async function claimed(store: StepStore, key: StepKey, keepUntil = until): Promise<StepKey> {
  deepEqual(await store.claim(key, keepUntil), { kind: 'claimed' })
  return key
}

async function finished(store: StepStore, key: StepKey, result: Sealed): Promise<StepKey> {
  equal(await store.finish(await claimed(store, key), result), true)
  return key
}

const contractTest = (name: string, run: (store: StepStore) => Promise<void>): ContractTest => ({
  name: `steps: ${name}`,
  run: ({ store }) => run(store.steps),
})

/** Text that a careless store damages. */
const text = 'é 𝄞 "\' \\ %s $1 ? :a /'

export const stepContract: readonly ContractTest[] = [
  contractTest('of two hundred concurrent claims of a step, exactly one succeeds', async (store) => {
    const claims = await Promise.all(times(200, () => store.claim(step('w'), until)))
    equal(claims.filter(({ kind }) => kind === 'claimed').length, 1)
    equal(claims.filter(({ kind }) => kind === 'begun').length, 199)
  }),
  contractTest('the result of a step is returned exactly as stored, for every later claim', async (store) => {
    const result = sealed(text, `${text}${'x'.repeat(100_000)}`)
    const key = await finished(store, step(text, text), result)
    for (const later of [until, new Date(1)]) {
      deepEqual(await store.claim(key, later), { kind: 'finished', result })
    }
  }),
  contractTest('a step that was claimed and not finished stays begun, also after its `until` date', async (store) => {
    const key = await claimed(store, step('w'), new Date(1))
    deepEqual(await store.claim(key, until), { kind: 'begun' })
  }),
  contractTest('only a claimed step is finished, and only once', async (store) => {
    equal(await store.finish(step('w'), sealed('k')), false)
    const key = await claimed(store, step('w'))
    const ends = await Promise.all(times(20, (index) => store.finish(key, sealed('k', `v1.${index}`))))
    equal(ends.filter(Boolean).length, 1)
    const result = sealed('k', `v1.${ends.indexOf(true)}`)
    equal(await store.finish(key, sealed('late')), false)
    deepEqual(await store.claim(key, until), { kind: 'finished', result })
  }),
  contractTest('steps of different walks or names are independent', async (store) => {
    await finished(store, step('a', 'b/c'), sealed('k'))
    for (const other of [step('a/b', 'c'), step('a', 'b'), step('A', 'b/c'), step('a ', 'b/c'), step('', 'a')]) {
      equal(await store.finish(other, sealed('k')), false)
      await claimed(store, other)
      deepEqual(await store.claim(other, until), { kind: 'begun' })
    }
  }),
  contractTest(
    'results sealed under other keys are found, and resealed only if they were not changed',
    async (store) => {
      const old = await finished(store, step('old'), sealed('old'))
      await finished(store, step('new'), sealed('new'))
      await claimed(store, step('unfinished'))
      deepEqual(await store.listSealedExcept('new', many), [{ key: old, result: sealed('old') }])
      deepEqual((await store.sealingKeys()).sort(), ['new', 'old'])

      equal(await store.reseal(old, sealed('old', 'v1.other'), sealed('new')), false)
      equal(await store.reseal(old, sealed('other', 'v1.old'), sealed('new')), false)
      equal(await store.reseal(step('unfinished'), sealed('old'), sealed('new')), false)
      equal(await store.reseal(step('never'), sealed('old'), sealed('new')), false)
      equal(await store.reseal(old, sealed('old'), sealed('new', 'v1.anew')), true)
      equal(await store.reseal(old, sealed('old'), sealed('new')), false)
      deepEqual(await store.claim(old, until), { kind: 'finished', result: sealed('new', 'v1.anew') })
      deepEqual(await store.listSealedExcept('new', many), [])
      deepEqual(await store.sealingKeys(), ['new'])
      equal((await store.listSealedExcept('newer', 1)).length, 1)
    },
  ),
  contractTest('steps whose `until` date has passed are deleted, finished or not, and no others', async (store) => {
    const before = new Date(until.getTime() - 1)
    for (const walk of ['a', 'b', 'c']) await claimed(store, step(walk), before)
    await store.finish(step('a'), sealed('k'))
    const kept = await claimed(store, step('kept'), until)
    equal(await store.deleteSteps(before, many), 0)
    equal(await store.deleteSteps(until, 2), 2)
    equal(await store.deleteSteps(until, many), 1)
    equal(await store.deleteSteps(until, many), 0)
    deepEqual(await store.claim(kept, until), { kind: 'begun' })
    equal(await store.finish(step('a'), sealed('k')), false)
    await claimed(store, step('a'))
  }),
  contractTest('a step is kept until the latest `until` date of all its claims, never a shorter one', async (store) => {
    const [sooner, later] = [new Date(until.getTime() - 2), new Date(until.getTime() - 1)]
    const open = await claimed(store, step('open'), sooner)
    const done = await finished(store, step('done'), sealed('k'))
    for (const date of [later, new Date(1)]) deepEqual(await store.claim(open, date), { kind: 'begun' })
    equal((await store.claim(done, new Date(until.getTime() + 1))).kind, 'finished')
    equal(await store.deleteSteps(later, many), 0)
    equal(await store.deleteSteps(until, many), 1)
    equal(await store.deleteSteps(new Date(until.getTime() + 1), many), 0)
    equal(await store.deleteSteps(new Date(until.getTime() + 2), many), 1)
  }),
  {
    name: 'steps: of many who claim through two openings at once, exactly one gets it',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const other = await reopen()
      try {
        const claims = times(200, (index) => (index % 2 === 0 ? store : other).steps.claim(step('w'), until))
        equal((await Promise.all(claims)).filter(({ kind }) => kind === 'claimed').length, 1)
      } finally {
        await other.close()
      }
    },
  },
  {
    name: 'steps: everything is still there after reopening',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      const begun = await claimed(store.steps, step('begun'))
      const done = await finished(store.steps, step('done'), sealed('k'))
      await store.close()
      const reopened = await reopen()
      try {
        deepEqual(await reopened.steps.claim(begun, until), { kind: 'begun' })
        deepEqual(await reopened.steps.claim(done, until), { kind: 'finished', result: sealed('k') })
        equal(await reopened.steps.finish(begun, sealed('k')), true)
      } finally {
        await reopened.close()
      }
    },
  },
]
