import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyEvent, type Elicitation, type ElicitationEvent } from '../../src/elicitation/elicitation.ts'
import type { Person } from '../../src/participant/identify.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { anElicitation } from '../../src/testing/elicitations.ts'
import {
  agent,
  lifeMs,
  Model,
  type Move,
  moves,
  names,
  type Rule,
  requester,
  rules,
  start,
} from '../support/approval/voting-model.ts'

const sequences = 20_000

function asked({ anyOf, quorum, ...rule }: Rule): Elicitation {
  return anElicitation({
    requester: { participant: requester, client: 'client', agents: [agent] },
    answerers: { anyOf, through: 'client', ...(quorum > 1 && { quorum }), ...rule },
    createdAt: new Date(start),
    expiresAt: new Date(start + lifeMs),
  })
}

function eventOf(move: Move, at: Date): ElicitationEvent {
  if (move.kind === 'look') return { kind: 'looked-at', at }
  if (move.kind === 'withdraw') return { kind: 'withdrawn', reason: 'gone', at }
  const person: Person = { participant: names[move.who] as ParticipantId, groups: move.groups }
  if (move.kind === 'hand-on') return { kind: 'delegated', given: { person, to: move.to, via: 'page' }, at }
  const by = { participant: person.participant, via: 'page' } as const
  const isYes = move.kind === 'yes'
  const [seen, digest] = isYes ? [move.seen, move.digest] : ['v0', 'v0']
  const vote = { person, isYes, choice: isYes ? 'allow_once' : 'deny', digest, seen, original: 'v0', edits: {} }
  return { kind: 'answered', answer: isYes ? { action: 'accept' } : { action: 'decline' }, by, at, vote }
}

const stateOf = ({ state, voting }: Elicitation) => {
  if (state.kind !== 'answered') return state.kind
  if (state.answer.action !== 'accept') return 'no'
  return `yes to ${voting?.edit?.digest ?? 'v0'}`
}

test(`${sequences} sequences of votes, edits, delegations, escalations and expiry end as the plain rules say`, () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(rules, fc.array(moves, { minLength: 1, maxLength: 14 }), (rule, played) => {
      const model = new Model(rule)
      let record = asked(rule)
      let at = start
      let settled: Elicitation | undefined
      for (const move of played) {
        at += move.afterMs
        model.play(move, at)
        const event = eventOf(move, new Date(at))
        const next = applyEvent(record, event)
        expect(next.version - record.version).toBe(next === record ? 0 : 1)
        // Sent again, as after a lost reply, an event changes nothing more.
        expect(applyEvent(next, event).state).toEqual(next.state)
        if (settled !== undefined) expect(next).toBe(settled)
        if (next.state.kind !== 'open') settled ??= next
        record = next
      }
      // With a quorum of one an edit is part of the answer, and is not gathered.
      const expected = rule.quorum === 1 ? model.state.replace(/ to .*/, '') : model.state
      expect(rule.quorum === 1 ? stateOf(record).replace(/ to .*/, '') : stateOf(record)).toBe(expected)
      expect(record.voting?.delegations.map(({ from, to }) => [from, to]) ?? []).toEqual(
        model.handed.map(({ from, to }) => [from, to]),
      )
      expect(record.voting?.escalations.length ?? 0).toBe(model.escalated)
      if (rule.quorum > 1) expect(record.voting?.votes.map(({ by }) => by) ?? []).toEqual(votersOf(model, record))
      seen.add(expected.replace(/v\d/, ''))
    }),
    { numRuns: sequences },
  )
  expect([...seen].sort()).toEqual(['expired', 'no', 'open', 'withdrawn', 'yes', 'yes to '])
}, 600_000)

function votersOf(model: Model, { state }: Elicitation): string[] {
  const yes = model.yes.map(({ who }) => who)
  return state.kind === 'answered' && state.answer.action !== 'accept' ? [...yes, state.by.participant] : yes
}
