import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../../src/audit/entry.ts'
import type { AuditEvent, Head } from '../../src/audit/event.ts'
import type { Finding } from '../../src/audit/findings.ts'
import { forgetInAudit } from '../../src/audit/forget.ts'
import type { AuditLog } from '../../src/audit/log.ts'
import { pruneAudit } from '../../src/audit/prune.ts'
import { verifyAudit } from '../../src/audit/verify.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { memoryAudit } from '../../src/stores/memory/audit.ts'
import {
  aLog,
  alice,
  bob,
  findingsIn,
  handClock,
  key,
  later,
  minutes,
  type Rows,
  rowsOf,
  storeWith,
} from '../support/audit/audits.ts'

type Step =
  | { do: 'record'; by: number; who: ParticipantId | undefined; keeps: boolean; times: number }
  | { do: 'restart' | 'crash'; by: number }
  | { do: 'wait'; minutes: number }
  | { do: 'prune'; by: number; ago: number }
  | { do: 'forget'; by: number; who: ParticipantId }

const by = fc.nat({ max: 2 })
const who = fc.constantFrom(alice, bob)
const record = fc.record({
  do: fc.constant('record' as const),
  by,
  who: fc.option(who, { nil: undefined }),
  keeps: fc.boolean(),
  times: fc.integer({ min: 1, max: 4 }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: record },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart' as const, 'crash' as const), by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.integer({ min: -3, max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prune' as const), by, ago: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('forget' as const), by, who }) },
)
const history = fc.array(step, { minLength: 4, maxLength: 40 })

/** Three processes on one store; steps wait for each other only where one would. */
async function live(steps: readonly Step[]) {
  const store = memoryAudit()
  const clock = handClock()
  const logs: AuditLog[] = [0, 1, 2].map(() => aLog(store, { clock }))
  const heads: Head[] = []
  for (const step of steps) {
    const log = logs['by' in step ? step.by : 0] as AuditLog
    if (step.do === 'record') {
      const entry: AuditEntry = {
        kind: 'custom:called',
        ...(step.who && { who: step.who }),
        ...(step.keeps && { keep: { path: '/' } }),
      }
      await Promise.all(Array.from({ length: step.times }, () => log.record(entry)))
    } else if (step.do === 'wait') {
      clock.at = new Date(clock.at.getTime() + minutes(step.minutes))
      heads.push(...(await store.heads(9)))
    } else if (step.do === 'prune') {
      await pruneAudit({ store, key, log, moment: new Date(clock.at.getTime() - minutes(step.ago)) })
    } else if (step.do === 'forget') {
      await forgetInAudit({ store, log, participant: step.who })
    } else {
      if (step.do === 'restart') await log.close()
      logs[step.by] = aLog(store, { clock })
    }
  }
  return { store, heads }
}

test('whatever processes record, prune and forget, their audit is clean, also against every end it ever had', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (steps) => {
      const { store, heads } = await live(steps)
      expect(await findingsIn(store, heads)).toEqual([])
    }),
    { numRuns: 200 },
  )
})

/** One thing that someone does to the rows, and what must then be found: that, and nothing else. */
type Tampering = (rows: Rows, pick: (count: number) => number) => { events: AuditEvent[]; expected: Found[] }
type Found = Pick<Finding, 'chain' | 'seq' | 'problem'>

const placeOf = ({ chain, seq }: Head) => ({ chain, seq })
/** A forgetting is left alone here: without it, more is found than its own place. */
const targets = ({ events }: Rows) => events.filter(({ kind }) => kind !== 'forgotten')

/** What the loss of an event is called depends on what is left around it. */
function lossOf({ events, anchors }: Rows, { chain, seq }: AuditEvent): Found {
  const rest = events.filter((event) => event.chain === chain && event.seq !== seq)
  if (rest.some((event) => event.seq > seq)) return { chain, seq, problem: 'missing' }
  const isAnythingLeft = rest.length > 0 || anchors.some((anchor) => anchor.chain === chain)
  return { chain, seq, problem: isAnythingLeft ? 'cut' : 'missing-chain' }
}

const changes: ((event: AuditEvent) => Partial<AuditEvent>)[] = [
  () => ({ at: later(-1) }),
  ({ kind }) => ({ kind: `${kind}!` }),
  ({ who }) => ({ who: `${who}!` as NonNullable<typeof who> }),
  ({ about }) => ({ about: `${about}!` }),
  ({ data }) => ({ data: { ...data, more: true } }),
  ({ keptDigest }) => ({ keptDigest: `${keptDigest}!` }),
  ({ prev }) => ({ prev: `${prev}!` }),
  ({ mac }) => ({ mac: `${mac}!` }),
  () => ({ kept: { salt: 'other', value: {} } }),
]

const tamperings: Record<string, Tampering> = {
  change(rows, pick) {
    const target = targets(rows)[pick(targets(rows).length)] as AuditEvent
    const change = changes[pick(changes.length)]?.(target)
    return {
      events: rows.events.map((event) => (event === target ? { ...event, ...change } : event)),
      expected: [{ ...placeOf(target), problem: 'changed' }],
    }
  },
  remove(rows, pick) {
    const target = targets(rows)[pick(targets(rows).length)] as AuditEvent
    return { events: rows.events.filter((event) => event !== target), expected: [lossOf(rows, target)] }
  },
  swap(rows, pick) {
    const [a, b] = [pick(targets(rows).length), pick(targets(rows).length)].map((at) => targets(rows)[at]) as [
      AuditEvent,
      AuditEvent,
    ]
    if (a === b) return { events: [...rows.events], expected: [] }
    return {
      events: rows.events.map((event) => {
        if (event === a) return { ...a, ...placeOf(b) }
        return event === b ? { ...b, ...placeOf(a) } : event
      }),
      expected: [
        { ...placeOf(a), problem: 'moved' },
        { ...placeOf(b), problem: 'moved' },
      ],
    }
  },
  move(rows, pick) {
    const target = targets(rows)[pick(targets(rows).length)] as AuditEvent
    const others = rows.events.filter(({ chain }) => chain !== target.chain)
    const last = others[pick(others.length)]
    const place = last
      ? {
          chain: last.chain,
          seq: Math.max(...others.filter(({ chain }) => chain === last.chain).map(({ seq }) => seq)) + 1,
        }
      : { chain: target.chain, seq: 1_000 }
    return {
      events: rows.events.map((event) => (event === target ? { ...event, ...place } : event)),
      expected: [lossOf(rows, target), { ...place, problem: 'moved' }],
    }
  },
  copy(rows, pick) {
    const source = targets(rows)[pick(targets(rows).length)] as AuditEvent
    const place = { chain: source.chain, seq: 1_000 }
    return { events: [...rows.events, { ...source, ...place }], expected: [{ ...place, problem: 'moved' }] }
  },
  erase(rows, pick) {
    const kept = rows.events.filter((event) => event.kept !== undefined)
    const target = kept[pick(kept.length)]
    return {
      events: rows.events.map((event) => {
        if (event !== target) return event
        const { kept, ...rest } = event
        return rest
      }),
      expected: target ? [{ ...placeOf(target), problem: 'erased' }] : [],
    }
  },
}

test.each(Object.keys(tamperings))(
  'one %s in any history is found, at its place, and nothing else is',
  async (name) => {
    const tamper = tamperings[name] as Tampering
    await fc.assert(
      fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, numbers) => {
        const { store } = await live(steps)
        const rows = await rowsOf(store)
        fc.pre(targets(rows).length > 0)
        const { heads } = await verifyAudit({ store, key })
        const pick = (count: number) => (count === 0 ? 0 : (numbers.next().value as number) % count)
        const { events, expected } = tamper(rows, pick)

        const found = await findingsIn(await storeWith({ ...rows, events }), heads)
        expect(found).toHaveLength(expected.length)
        expect(found).toEqual(expect.arrayContaining(expected))
      }),
      { numRuns: 100 },
    )
  },
)
