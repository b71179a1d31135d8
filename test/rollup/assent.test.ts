import { describe, expect, test } from 'vitest'
import { createAssent } from '../../src/index.ts'
import { periodMs, periodOf } from '../../src/rollup/rollup.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { everyStore } from '../support/stores.ts'

const always = { from: new Date(0), until: new Date('2100-01-01T00:00:00Z') }
const ended = { kind: 'call-finished', data: { server: 'files', tool: 'read', outcome: 'done' } } as const

describe.each(Object.entries(everyStore))('counts of an Assent on %s', (_, fresh) => {
  test('two processes count together, and what was counted last is written when they are closed', async () => {
    const { store, reopen } = await fresh()
    const options = { keys: testKeys, clocks: { tidy: 0, counts: 0 } }
    const other = reopen && (await createAssent({ ...options, store: await reopen() }))
    const one = await anAssent({ ...options, store: { ...store, close: async () => {} } })
    await one.record(ended)
    await one.record(ended)
    await other?.record(ended)
    expect(await store.rollups.sum('tools', { period: 'hour', ...always }, 10)).toEqual([])
    await Promise.all([one.close(), other?.close()])
    const count = other === undefined ? 2 : 3
    for (const period of ['hour', 'day'] as const) {
      expect(await store.rollups.sum('tools', { period, ...always }, 10)).toEqual([
        { server: 'files', name: 'read', outcome: 'done', count },
      ])
    }
    await store.close()
  })
})

describe('counts of an Assent', () => {
  test('are written while it runs', async () => {
    const assent = await anAssent({ clocks: { tidy: 0, counts: 10 } })
    await assent.record(ended)
    await expect.poll(() => assent.store.rollups.sum('calls', { period: 'day', ...always }, 10)).toHaveLength(1)
  })

  test('are of the calls that the audit has: one that it did not take is not counted', async () => {
    const assent = await anAssent({ clocks: { tidy: 0, counts: 10 } })
    await expect(assent.record({ ...ended, about: '\ud800' })).rejects.toThrow()
    await assent.record(ended)
    await expect
      .poll(() => assent.store.rollups.sum('calls', { period: 'day', ...always }, 10))
      .toMatchObject([{ count: 1 }])
  })

  test('are deleted when they are older than `retain` says', async () => {
    const clock = fixedClock()
    const assent = await anAssent({
      clock,
      clocks: { tidy: 0, counts: 0 },
      retain: { hourlyCounts: '2h', dailyCounts: '2d' },
    })
    const { rollups } = assent.store
    const at = clock.now().getTime()
    const all = (['hour', 'day'] as const).flatMap((period) =>
      [0, 1, 2, 3].map((ago) => ({
        period,
        kind: 'calls' as const,
        from: periodOf(period, new Date(at - ago * periodMs[period])),
        server: 'files',
        name: '',
        outcome: 'done',
        count: 1,
      })),
    )
    await rollups.add(all)
    await assent.tidy()
    for (const period of ['hour', 'day'] as const) {
      const kept = await rollups.list('calls', { period, ...always }, 10)
      const oldest = at - 2 * periodMs[period]
      expect(kept.map(({ from }) => from)).toEqual(
        all.flatMap((one) => (one.period === period && one.from.getTime() >= oldest ? [one.from] : [])).reverse(),
      )
    }
  })
})
