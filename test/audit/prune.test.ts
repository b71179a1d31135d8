import { describe, expect, test } from 'vitest'
import type { AuditEvent, ChainId } from '../../src/audit/event.ts'
import { forgetInAudit } from '../../src/audit/forget.ts'
import { pruneAudit } from '../../src/audit/prune.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import {
  aLog,
  alice,
  eventsOf,
  findingsIn,
  handClock,
  isAt,
  key,
  later,
  minutes,
  rowsOf,
  tampered,
} from '../support/audit/audits.ts'

/** Two chains: one with an old and a new part, one that is wholly old. */
async function oldAndNew() {
  const store = memoryAudit()
  const clock = handClock()
  const [log, gone] = [aLog(store, { clock }), aLog(store, { clock })]
  for (let count = 0; count < 3; count += 1) {
    await log.record({ kind: 'custom:old', who: alice, keep: { count } })
    await gone.record({ kind: 'custom:old' })
  }
  await gone.close()
  clock.at = later(minutes(60))
  await log.record({ kind: 'custom:new' })
  const [a, b] = (await store.chains()).map(({ chain }) => chain) as [ChainId, ChainId]
  return { store, clock, log, a, b }
}
const moment = later(minutes(30))

test('what is older than the moment goes, and the audit is whole', async () => {
  const { store, log, a, b } = await oldAndNew()
  const { heads } = await verifyAudit({ store, key })
  expect(await pruneAudit({ store, key, log, moment })).toBe(9)

  expect((await rowsOf(store)).events).toMatchObject([
    { chain: a, seq: 5, kind: 'heads' },
    { chain: a, seq: 6, kind: 'custom:new' },
    { chain: a, seq: 7, kind: 'pruned', data: { through: { [a]: 4, [b]: 5 } } },
  ])
  expect(await findingsIn(store, heads)).toEqual([])
  expect((await verifyAudit({ store, key })).heads).toMatchObject([
    { chain: a, seq: 7 },
    { chain: b, seq: 5 },
  ])
})

test('where nothing is old, nothing is written', async () => {
  const { store, log } = await oldAndNew()
  await pruneAudit({ store, key, log, moment })
  const before = await rowsOf(store)
  expect(await pruneAudit({ store, key, log, moment })).toBe(0)
  expect(await rowsOf(store)).toEqual(before)
})

test('a chain goes on from its anchor when its very end was pruned', async () => {
  const { store, clock, log, a } = await oldAndNew()
  await pruneAudit({ store, key, log, moment: later(minutes(61)) })
  clock.at = later(minutes(120))
  await pruneAudit({ store, key, log, moment: later(minutes(119)) })
  expect((await eventsOf(store, a)).map(({ kind }) => kind)).toEqual(['pruned'])
  await log.record({ kind: 'custom:after' })
  await log.close()
  expect(await findingsIn(store)).toEqual([])
})

test('two who prune at once leave the later anchor', async () => {
  const { store, clock, log, a } = await oldAndNew()
  const { prune } = store
  store.prune = async (anchor) => {
    store.prune = prune
    clock.at = later(minutes(90))
    await pruneAudit({ store, key, log: aLog(store, { clock }), moment: later(minutes(61)) })
    return prune(anchor)
  }
  await pruneAudit({ store, key, log, moment })
  expect((await store.chains()).find(({ chain }) => chain === a)?.anchor?.seq).toBe(7)
  expect(await findingsIn(store)).toEqual([])
})

test('a forgetting outlives its event: what it erased may be kept for longer in another chain', async () => {
  const { store, clock, log, a } = await oldAndNew()
  const other = aLog(store, { clock })
  clock.at = later(0)
  await forgetInAudit({ store, log: other, participant: alice })
  clock.at = later(minutes(60))
  const { prune } = store
  // As if the process died before it came to the chain where things were erased.
  store.prune = async (anchor) => (anchor.chain === a ? 0 : prune(anchor))
  await pruneAudit({ store, key, log, moment })
  expect((await eventsOf(store, a)).slice(1, 4).map(({ kept }) => kept)).toEqual([undefined, undefined, undefined])
  expect(await findingsIn(store)).toEqual([])
})

describe('evidence is never pruned away', () => {
  const makeOld = (event: AuditEvent) => ({ ...event, at: later(0) })

  test('an event whose date was changed stays, and all that follow it', async () => {
    const { store, log, a } = await oldAndNew()
    const backdated = await tampered(store, ({ events }) => ({
      events: events.map((event) => (event.seq > 4 ? makeOld(event) : event)),
    }))
    expect(await pruneAudit({ store: backdated, key, log, moment })).toBe(9)
    expect((await eventsOf(backdated, a)).map(({ seq }) => seq)).toEqual([5, 6])
    expect(await findingsIn(backdated)).toEqual([
      { chain: a, seq: 5, problem: 'changed' },
      { chain: a, seq: 6, problem: 'changed' },
    ])
  })

  test('what comes after a gap stays', async () => {
    const { store, log, a } = await oldAndNew()
    const holed = await tampered(store, ({ events }) => ({ events: events.filter((event) => !isAt(a, 2)(event)) }))
    await pruneAudit({ store: holed, key, log: aLog(holed), moment })
    expect(await findingsIn(holed)).toEqual([{ chain: a, seq: 2, problem: 'missing' }])
    const beheaded = await tampered(store, ({ events }) => ({ events: events.filter((event) => !isAt(a, 1)(event)) }))
    await pruneAudit({ store: beheaded, key, log, moment })
    expect(await findingsIn(beheaded)).toEqual([{ chain: a, seq: 1, problem: 'missing' }])
  })

  test('behind an anchor that is not genuine, everything stays', async () => {
    const { store, clock, log, a } = await oldAndNew()
    await pruneAudit({ store, key, log, moment })
    const { events } = await rowsOf(store)
    const { seq, mac } = events.find(isAt(a, 5)) as AuditEvent
    const forged = await tampered(store, ({ anchors }) => ({
      events: events.filter((event) => !isAt(a, 5)(event)),
      anchors: anchors.map((anchor) => (anchor.chain === a ? { ...anchor, seq, mac } : anchor)),
    }))
    clock.at = later(minutes(90))
    expect(await pruneAudit({ store: forged, key, log: aLog(forged, { clock }), moment: clock.at })).toBe(0)
    expect(await findingsIn(forged)).toEqual([{ chain: a, seq: 5, problem: 'changed' }])
  })
})

test('more chains than one event could name are told of in several', async () => {
  const store = memoryAudit()
  const clock = handClock()
  for (let count = 0; count < 501; count += 1) await aLog(store, { clock }).record({ kind: 'custom:old' })
  const log = aLog(store, { clock })
  clock.at = later(minutes(60))
  expect(await pruneAudit({ store, key, log, moment })).toBe(1002)
  const { events } = await rowsOf(store)
  const told = events.flatMap(({ data }) => (data.through ? [Object.keys(data.through).length] : []))
  expect(told).toEqual([500, 1])
  expect(await findingsIn(store)).toEqual([])
})
