import { deepEqual, equal } from 'node:assert/strict'
import { periodMs, periodOf, type Rollup, type RollupSum } from '../../rollup/rollup.ts'
import type { RollupSpan } from '../../rollup/store.ts'
import type { Store } from '../../stores/store.ts'
import type { ContractTest } from './contract-test.ts'

const at = new Date('2026-01-01T10:00:00.000Z')
const hours = (count: number) => new Date(at.getTime() + count * periodMs.hour)
const many = 1_000

const rollup = (name: string, more: Partial<Rollup> = {}): Rollup => ({
  period: 'hour',
  kind: 'tools',
  from: at,
  server: 'files',
  name,
  outcome: 'done',
  count: 1,
  ...more,
})

const all: RollupSpan = { period: 'hour', from: at, until: hours(100) }
const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const sumOf = ({ server, name, outcome, count }: Rollup): RollupSum => ({ server, name, outcome, count })

const contractTest = (name: string, run: (store: Store) => Promise<void>): ContractTest => ({
  name,
  run: ({ store }) => run(store),
})

export const rollupContract: readonly ContractTest[] = [
  contractTest('rollups: counts are added to what is kept, each apart by all that names it', async ({ rollups }) => {
    const others: Rollup[] = [
      rollup('read', { period: 'day', from: periodOf('day', at) }),
      rollup('read', { kind: 'calls' }),
      rollup('read', { from: hours(1) }),
      rollup('read', { server: 'mail' }),
      rollup('write'),
      rollup('read', { outcome: 'failed' }),
    ]
    await rollups.add([rollup('read', { count: 2 }), ...others])
    await rollups.add([])
    await rollups.add([rollup('read', { count: 40 }), ...others])
    const twice = others.map((one) => ({ ...one, count: 2 }))
    const isListed = ({ period, kind }: Rollup) => period === 'hour' && kind === 'tools'
    deepEqual((await rollups.list('tools', all, many)).sort(byText), [
      ...[rollup('read', { count: 42 }), ...twice.filter(isListed)].sort(byText),
    ])
    deepEqual(await rollups.list('calls', all, many), [rollup('read', { kind: 'calls', count: 2 })])
    const days = { period: 'day', from: periodOf('day', at), until: hours(24) } as const
    deepEqual(await rollups.list('tools', days, many), [
      rollup('read', { period: 'day', from: periodOf('day', at), count: 2 }),
    ])
  }),
  contractTest('rollups: of many who add at once, none is lost', async ({ rollups }) => {
    const names = ['b', 'a', 'c']
    await Promise.all(
      Array.from({ length: 30 }, (_, number) =>
        rollups.add(
          names.map((_, index) => rollup(names[(index + number) % names.length] as string, { count: 1_000 })),
        ),
      ),
    )
    deepEqual(
      (await rollups.sum('tools', all, many)).sort(byText),
      ['a', 'b', 'c'].map((name) => sumOf(rollup(name, { count: 30_000 }))),
    )
  }),
  contractTest('rollups: a batch may name the same twice, and any plain text', async ({ rollups }) => {
    const name = `"it's" \\ {a:b} % ${'é'.repeat(50)}🙂`
    await rollups.add([rollup(name), rollup(name, { count: 2 }), rollup('', { server: '', outcome: '' })])
    deepEqual((await rollups.sum('tools', all, many)).sort(byText), [
      ...[sumOf(rollup(name, { count: 3 })), sumOf(rollup('', { server: '', outcome: '' }))].sort(byText),
    ])
  }),
  contractTest('rollups: lists are in the order of time, and end before `until`', async ({ rollups }) => {
    await rollups.add([2, 0, 3, 1].map((hour) => rollup('read', { from: hours(hour), count: hour + 1 })))
    const from = (found: readonly Rollup[]) => found.map((one) => one.from)
    deepEqual(from(await rollups.list('tools', all, many)), [at, hours(1), hours(2), hours(3)])
    deepEqual(from(await rollups.list('tools', { period: 'hour', from: hours(1), until: hours(3) }, many)), [
      hours(1),
      hours(2),
    ])
    deepEqual(from(await rollups.list('tools', all, 2)), [at, hours(1)])
  }),
  contractTest('rollups: sums are over the span, the largest first', async ({ rollups }) => {
    await rollups.add([
      rollup('a', { count: 5 }),
      rollup('b', { count: 4 }),
      rollup('b', { from: hours(1), count: 4 }),
      rollup('c', { from: hours(2), count: 90 }),
    ])
    const span: RollupSpan = { period: 'hour', from: at, until: hours(2) }
    deepEqual(await rollups.sum('tools', span, many), [
      sumOf(rollup('b', { count: 8 })),
      sumOf(rollup('a', { count: 5 })),
    ])
    deepEqual(await rollups.sum('tools', span, 1), [sumOf(rollup('b', { count: 8 }))])
  }),
  contractTest('rollups: old ones of one period are deleted, as many as said', async ({ rollups }) => {
    const day = periodOf('day', at)
    await rollups.add([
      rollup('a'),
      rollup('b'),
      rollup('c', { kind: 'calls' }),
      rollup('d', { from: hours(1) }),
      rollup('e', { period: 'day', from: day }),
    ])
    equal(await rollups.deleteBefore('hour', at, many), 0)
    equal(await rollups.deleteBefore('hour', hours(1), 2), 2)
    equal(await rollups.deleteBefore('hour', hours(1), many), 1)
    equal(await rollups.deleteBefore('hour', hours(1), many), 0)
    deepEqual(await rollups.list('tools', all, many), [rollup('d', { from: hours(1) })])
    equal((await rollups.list('tools', { period: 'day', from: day, until: hours(24) }, many)).length, 1)
  }),
  {
    name: 'rollups: counts outlive the process',
    async run({ store, reopen }) {
      if (reopen === undefined) return
      await store.rollups.add([rollup('read', { count: 3 })])
      const other = await reopen()
      try {
        await other.rollups.add([rollup('read')])
        deepEqual(await other.rollups.sum('tools', all, many), [sumOf(rollup('read', { count: 4 }))])
      } finally {
        await other.close()
      }
    },
  },
]
