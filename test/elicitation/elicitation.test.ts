import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  applyEvent,
  askerLeftAt,
  type Elicitation,
  type ElicitationEvent,
  isSettled,
  lastMoment,
  settlingGraceMs,
} from '../../src/elicitation/elicitation.ts'
import { alice, anElicitation } from '../../src/testing/index.ts'

const open = anElicitation()
const start = open.createdAt.getTime()
const inTime = new Date(start + 1)
const by = { participant: alice, via: 'page' } as const

const happenings: [string, ElicitationEvent][] = [
  ['answered', { kind: 'answered', answer: { action: 'accept' }, by, at: inTime }],
  ['failed', { kind: 'failed', reason: 'the provider is down', at: inTime }],
  ['withdrawn', { kind: 'withdrawn', reason: 'cancelled', at: inTime }],
]

describe('an open question', () => {
  test.each(happenings)('becomes %s, one version on', (kind, event) => {
    expect(applyEvent(open, event)).toEqual({ ...open, version: 2, state: { ...event, kind } })
  })

  test('stays the very same when only looked at', () => {
    expect(applyEvent(open, { kind: 'looked-at', at: inTime })).toBe(open)
  })

  test('is marked when its asker leaves, once, and not any more when they are back', () => {
    const left = applyEvent(open, { kind: 'asker-left', at: inTime })
    expect(left).toEqual({ ...open, version: 2, state: { kind: 'open', askerLeftAt: inTime } })
    expect(applyEvent(left, { kind: 'asker-left', at: new Date(start + 2) })).toBe(left)
    expect(applyEvent(left, { kind: 'looked-at', at: new Date(start + 2) })).toBe(left)
    expect(applyEvent(left, { kind: 'asker-back', at: new Date(start + 2) })).toEqual({ ...open, version: 3 })
    expect(applyEvent(open, { kind: 'asker-back', at: inTime })).toBe(open)
  })

  test.each(happenings)('becomes %s also when its asker has left', (kind, event) => {
    const left = applyEvent(open, { kind: 'asker-left', at: inTime })
    expect(applyEvent(left, event)).toEqual({ ...open, version: 3, state: { ...event, kind } })
  })

  test('can be answered until the grace after its expiry is over, and not a moment longer', () => {
    const last = open.expiresAt.getTime() + settlingGraceMs
    const answerAt = (at: number): ElicitationEvent => ({
      kind: 'answered',
      answer: { action: 'accept' },
      by,
      at: new Date(at),
    })
    expect(applyEvent(open, answerAt(last - 1)).state.kind).toBe('answered')
    expect(applyEvent(open, answerAt(last)).state).toEqual({ kind: 'expired', at: open.expiresAt })
    expect(lastMoment(open)).toEqual(new Date(last))
  })

  test.each([...happenings, ['looked-at', { kind: 'looked-at', at: inTime }] as const])(
    'only expires when %s too late',
    (_, event) => {
      const late = { ...event, at: lastMoment(open) } as ElicitationEvent
      expect(applyEvent(open, late).state).toEqual({ kind: 'expired', at: open.expiresAt })
    },
  )
})

const eventArb: fc.Arbitrary<ElicitationEvent> = fc
  .record({ which: fc.nat(5), at: fc.date({ noInvalidDate: true }) })
  .map(({ which, at }) => {
    const others = (['looked-at', 'asker-left', 'asker-back'] as const).map((kind) => ({ kind, at }))
    const event = [...happenings.map(([, one]) => one), ...others][which] as ElicitationEvent
    return { ...event, at }
  })

const apply = (events: ElicitationEvent[], from: Elicitation = open) => events.reduce(applyEvent, from)

describe('whatever happens', () => {
  test('once settled it stays settled, exactly as it was', () => {
    fc.assert(
      fc.property(fc.array(eventArb), fc.array(eventArb), (before, after) => {
        const first = apply(before)
        if (isSettled(first)) expect(apply(after, first)).toBe(first)
      }),
    )
  })

  test('each change is one version on, and while it is open only the mark of its asker changes', () => {
    fc.assert(
      fc.property(fc.array(eventArb), (events) => {
        events.reduce((before, event) => {
          const next = applyEvent(before, event)
          expect(next.version).toBe(next === before ? before.version : before.version + 1)
          if (next !== before && !isSettled(next)) expect(askerLeftAt(next)).not.toEqual(askerLeftAt(before))
          return next
        }, open)
      }),
    )
  })

  test('without that mark it is saved at most once: its version is 1 while open and 2 for ever after', () => {
    fc.assert(
      fc.property(fc.array(eventArb), (events) => {
        const last = apply(events.filter(({ kind }) => !kind.startsWith('asker-')))
        expect(last.version).toBe(isSettled(last) ? 2 : 1)
      }),
    )
  })

  test('nothing but state and version ever changes', () => {
    fc.assert(
      fc.property(fc.array(eventArb), (events) => {
        const { state: _, version: __, ...rest } = apply(events)
        const { state: ___, version: ____, ...asked } = open
        expect(rest).toEqual(asked)
      }),
    )
  })

  test('no event at or after the last moment leaves it open or answered', () => {
    fc.assert(
      fc.property(fc.array(eventArb, { minLength: 1 }), (events) => {
        const late = events.map((event) => ({
          ...event,
          at: new Date(Math.max(event.at.getTime(), lastMoment(open).getTime())),
        }))
        expect(apply(late).state.kind).toBe('expired')
      }),
    )
  })
})
