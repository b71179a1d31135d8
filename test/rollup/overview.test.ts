import { describe, expect, test } from 'vitest'
import { readOverview, readRuleHits } from '../../src/rollup/overview.ts'
import type { Rollup } from '../../src/rollup/rollup.ts'
import { waitQuantile } from '../../src/rollup/waits.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'

const now = new Date('2026-11-16T09:30:00Z')
const at = (text: string) => new Date(`2026-11-${text}:00:00Z`)

const rollup = (over: Partial<Rollup>): Rollup => ({
  period: 'hour',
  kind: 'calls',
  from: at('16T09'),
  server: 'files',
  name: '',
  outcome: 'done',
  count: 1,
  ...over,
})

async function kept(...rollups: Rollup[]) {
  const store = openMemoryStore().rollups
  await store.add(rollups)
  return store
}

describe('the overview', () => {
  test('has the calls of every hour of the last 24, and of no other', async () => {
    const store = await kept(
      rollup({ count: 3 }),
      rollup({ server: 'mail', outcome: 'failed', count: 2 }),
      rollup({ from: at('15T10'), count: 5 }),
      rollup({ from: at('15T09'), count: 90 }),
      rollup({ period: 'day', from: at('16T00'), count: 700 }),
    )
    const { steps, calls } = await readOverview(store, 'day', now)
    expect(steps).toHaveLength(24)
    expect(steps[0]).toEqual({ from: at('15T10'), calls: { done: 5 } })
    expect(steps[23]).toEqual({ from: at('16T09'), calls: { done: 3, failed: 2 } })
    expect(steps[22]?.calls).toEqual({})
    expect(calls).toEqual({ done: 8, failed: 2 })
  })

  test('is by the day for 7 and for 30 days', async () => {
    const store = await kept(
      rollup({ period: 'day', from: at('16T00'), count: 3 }),
      rollup({ period: 'day', from: at('10T00'), count: 4 }),
      rollup({ period: 'day', from: at('09T00'), count: 50 }),
    )
    expect((await readOverview(store, 'week', now)).calls).toEqual({ done: 7 })
    const month = await readOverview(store, 'month', now)
    expect([month.steps.length, month.calls]).toEqual([30, { done: 57 }])
  })

  test('has the tools that were called most, with how their calls ended', async () => {
    const tools = Array.from({ length: 12 }, (_, index) =>
      rollup({ kind: 'tools', name: `tool-${index}`, count: index + 1 }),
    )
    const store = await kept(...tools, rollup({ kind: 'tools', name: 'tool-0', outcome: 'refused', count: 100 }))
    const shown = (await readOverview(store, 'day', now)).tools
    expect(shown).toHaveLength(10)
    expect(shown[0]).toEqual({ server: 'files', name: 'tool-0', calls: { done: 1, refused: 100 } })
    expect(shown[1]).toEqual({ server: 'files', name: 'tool-11', calls: { done: 12 } })
  })

  test('has fallbacks by reason, of all servers together', async () => {
    const store = await kept(
      rollup({ kind: 'fallbacks', name: 'no-form', count: 2 }),
      rollup({ kind: 'fallbacks', name: 'no-form', server: 'mail', count: 2 }),
      rollup({ kind: 'fallbacks', name: 'unanswered', count: 3 }),
    )
    expect((await readOverview(store, 'day', now)).fallbacks).toEqual([
      { reason: 'no-form', count: 4 },
      { reason: 'unanswered', count: 3 },
    ])
  })

  test('has the hits of rules in seven days', async () => {
    const rule = { kind: 'rules', period: 'day', server: '', name: 'r1' } as const
    const store = await kept(
      rollup({ ...rule, from: at('16T00'), outcome: 'ran', count: 2 }),
      rollup({ ...rule, from: at('10T00'), outcome: 'ran' }),
      rollup({ ...rule, from: at('09T00'), outcome: 'ran', count: 50 }),
      rollup({ ...rule, from: at('16T00'), outcome: 'asked', count: 4 }),
    )
    expect(await readRuleHits(store, now)).toEqual(new Map([['r1', { ran: 3, asked: 4 }]]))
  })
})

describe('waiting times from buckets', () => {
  const waits = (counts: Record<string, number>) => Object.entries(counts).map(([name, count]) => ({ name, count }))

  test.each([
    ['nobody waited', {}, 0.5, undefined],
    ['one bucket, spread evenly', { 10: 10 }, 0.5, 7_500],
    ['the bucket in which the share is reached', { 1: 50, 60: 50 }, 0.95, 58_500],
    ['exactly at the end of a bucket', { 1: 50, 60: 50 }, 0.5, 1_000],
    ['longer than the last bound is the last bound', { more: 4 }, 0.5, 86_400_000],
  ])('%s', (_, counts, share, expected) => {
    expect(waitQuantile(waits(counts), share)).toEqual(expected)
  })
})
