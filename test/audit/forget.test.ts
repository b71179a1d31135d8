import { describe, expect, test, vi } from 'vitest'
import { forgetInAudit } from '../../src/audit/forget.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import { aLog, alice, appendsLater, bob, findingsIn, rowsOf, tampered, threeChains } from '../support/audit/audits.ts'

test('what was kept of them is gone, nothing leads to them, and the chain still verifies', async () => {
  const { store, logs } = await threeChains()
  const who = await store.findPseudonym(alice)
  expect(await forgetInAudit({ store, log: logs[2], participant: alice })).toBe(who)

  const { events } = await rowsOf(store)
  expect(events.filter((event) => event.who === who).map(({ kept }) => kept)).toEqual(Array(7).fill(undefined))
  expect(events.filter(({ kept }) => kept !== undefined)).toHaveLength(7)
  expect(events.at(-1)).toMatchObject({ kind: 'forgotten', about: who, data: {} })
  expect(await store.findPseudonym(alice)).toBeUndefined()
  expect(await findingsIn(store)).toEqual([])
})

test('someone nobody knows, or who was forgotten before, is no event', async () => {
  const { store, logs } = await threeChains()
  await forgetInAudit({ store, log: logs[2], participant: alice })
  const before = await rowsOf(store)
  expect(await forgetInAudit({ store, log: logs[2], participant: alice })).toBeUndefined()
  expect(await rowsOf(store)).toEqual(before)
})

test('someone who comes back is someone new', async () => {
  const { store, logs } = await threeChains()
  const who = await forgetInAudit({ store, log: logs[0], participant: alice })
  await logs[0].record({ kind: 'custom:called', who: alice, keep: { path: '/new' } })
  const again = (await rowsOf(store)).events.find(({ kept }) => kept?.value.path === '/new')
  expect(again?.who).toBe(await store.findPseudonym(alice))
  expect(again?.who).not.toBe(who)
})

test('the reason on record is needed: taken away, what it erased is found', async () => {
  const { store, a, logs } = await threeChains()
  await forgetInAudit({ store, log: logs[2], participant: alice })
  const silent = await tampered(store, ({ events }) => ({ events: events.filter(({ kind }) => kind !== 'forgotten') }))
  expect(await findingsIn(silent)).toEqual([2, 3, 4, 5, 6, 7, 8].map((seq) => ({ chain: a, seq, problem: 'erased' })))
})

describe('a forgetting that was broken off', () => {
  test.each(['append', 'eraseKept', 'deletePseudonym'] as const)(
    'at %s verifies, and can be done again',
    async (step) => {
      const { store, logs } = await threeChains()
      appendsLater(store)
      vi.spyOn(store, step).mockRejectedValueOnce(new Error('lost'))
      await expect(forgetInAudit({ store, log: logs[2], participant: alice })).rejects.toThrow('lost')
      expect(await findingsIn(store)).toEqual([])

      expect(await forgetInAudit({ store, log: logs[2], participant: alice })).toMatch(/^p-/)
      expect(await store.findPseudonym(alice)).toBeUndefined()
      expect(await findingsIn(store)).toEqual([])
    },
  )
})

test('a log that remembers an older name, from before another process forgot them, still tells the right one', async () => {
  const { store, logs } = await threeChains()
  await forgetInAudit({ store, log: logs[1], participant: alice })
  const newcomer = aLog(store)
  await newcomer.record({ kind: 'custom:called', who: alice, keep: { path: '/new' } })
  await forgetInAudit({ store, log: logs[0], participant: alice })
  expect((await rowsOf(store)).events.filter(({ kept }) => kept?.value.path === '/new')).toEqual([])
  expect(await findingsIn(store)).toEqual([])
})

test('what is recorded meanwhile has the old name or a new one, and under the old one nothing is kept', async () => {
  const store = memoryAudit()
  const log = aLog(store)
  await log.record({ kind: 'custom:called', who: alice, keep: { path: '/first' } })
  const old = await store.findPseudonym(alice)

  const busy = Array.from({ length: 40 }, async (_, turn) => {
    for (let tick = 0; tick < turn; tick += 1) await Promise.resolve()
    await log.record({ kind: 'custom:called', who: turn % 4 ? alice : bob, keep: { turn } })
  })
  await Promise.all([...busy, forgetInAudit({ store, log, participant: alice })])

  const { events } = await rowsOf(store)
  expect(events.filter(({ kind }) => kind === 'custom:called')).toHaveLength(41)
  expect(events.filter(({ who, kept }) => who === old && kept !== undefined)).toEqual([])
  expect(await store.findPseudonym(alice)).not.toBe(old)
  expect(await findingsIn(store)).toEqual([])
})

test('a write that holds the old name when it is dropped arrives before the last erasing', async () => {
  const store = memoryAudit()
  const log = aLog(store)
  await log.record({ kind: 'custom:called', who: alice, keep: { path: '/first' } })
  const { append, deletePseudonym } = store
  let released = () => {}
  let late: Promise<void> | undefined
  store.deletePseudonym = async (participant) => {
    const held = new Promise<void>((resolve) => {
      released = resolve
    })
    store.append = async (events) => {
      await held
      await append(events)
    }
    late = log.record({ kind: 'custom:called', who: alice, keep: { path: '/late' } })
    await new Promise(setImmediate)
    await deletePseudonym(participant)
    setTimeout(() => released(), 5)
  }
  const who = await forgetInAudit({ store, log, participant: alice })
  await late
  const written = (await rowsOf(store)).events.filter(({ kind }) => kind === 'custom:called')
  expect(written.map((event) => [event.who === who, event.kept])).toEqual([
    [true, undefined],
    [true, undefined],
  ])
})
