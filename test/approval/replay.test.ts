import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import type { PolicySettings, RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import { type RecordedCall, recordedCalls } from '../../src/approval/replay/recorded-calls.ts'
import { namedParticipants, type ReplayFacts, replay } from '../../src/approval/replay/replay.ts'
import type { Pseudonym } from '../../src/audit/event.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { aCall } from '../support/approval/a-call.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const recorded: RecordedCall = {
  at: new Date(0),
  walk: 'walk',
  who: 'p-1' as Pseudonym,
  client: 'editor',
  server: 'files',
  tool: 'write_file',
  decided: 'ask',
  watched: false,
  ran: true,
}
const kept: RecordedCall = { ...recorded, arguments: { amount: 5, path: '/etc/x' } }
const facts: ReplayFacts = {
  isTrusted: (server) => server === 'trusted',
  participantOf: (who) => (who === 'p-1' ? ('local' as ParticipantId) : undefined),
}

const replayed = (policy: PolicySettings, call: RecordedCall) => replay(readPolicy(policy), call, facts)
const decided = (effect: string) => ({ kind: 'decided', effect })

describe('what another policy would have decided', () => {
  test('by server, tool, client and participant, all of which are recorded', () => {
    const rules: RuleSettings[] = [
      { server: 'other', decide: 'deny' },
      { requester: ['client:job', 'bob@https://x'], decide: 'deny' },
      { tool: 'write_*', requester: 'local', decide: 'allow' },
    ]
    expect(replayed({ rules }, recorded)).toEqual(decided('allow'))
    expect(replayed({ rules }, { ...recorded, client: 'job' })).toEqual(decided('deny'))
    expect(replayed({ rules }, { ...recorded, who: 'p-2' as Pseudonym })).toEqual(decided('ask'))
    const { who: _, ...nobody } = recorded
    expect(replayed({ rules }, nobody)).toEqual(decided('ask'))
  })

  test('a condition is judged where the arguments were kept, and asks where it fails', () => {
    const rules: RuleSettings[] = [{ when: "args.path.startsWith('/etc')", decide: 'allow' }]
    expect(replayed({ rules, default: 'deny' }, kept)).toEqual(decided('allow'))
    expect(replayed({ rules, default: 'deny' }, { ...kept, arguments: {} })).toEqual(decided('ask'))
    expect(replayed({ rules, default: 'deny' }, { ...kept, arguments: { path: '/tmp' } })).toEqual(decided('deny'))
  })

  test.each<[RuleSettings, RecordedCall, string]>([
    [{ when: 'args.amount > 3', decide: 'deny' }, recorded, 'arguments'],
    [{ annotations: { readOnlyHint: true }, decide: 'deny' }, kept, 'annotations'],
    [{ annotations: { readOnlyHint: true }, when: 'args.amount > 9', decide: 'deny' }, kept, 'annotations'],
    [{ when: 'annotations.readOnlyHint', decide: 'deny' }, kept, 'annotations'],
    [{ requester: 'group:staff', decide: 'deny' }, kept, 'requester'],
    [{ agents: 'agent-a@hub:ops', decide: 'deny' }, kept, 'requester'],
    [{ when: 'requester.groups.size() > 0', decide: 'deny' }, kept, 'requester'],
  ])('%j: what would tell is not recorded', (rule, call, lacks) => {
    expect(replayed({ rules: [rule], default: 'ask' }, call)).toEqual({
      kind: 'unknown',
      effects: [rule.decide, 'ask'],
      lacks: [lacks],
    })
    // Both ways end alike, or the rule is about other calls.
    expect(replayed({ rules: [rule], default: rule.decide }, call)).toEqual(decided(rule.decide))
    expect(replayed({ rules: [{ ...rule, tool: 'read' }], default: 'ask' }, call)).toEqual(decided('ask'))
  })

  test('what an untrusted server says of its tool allows nothing, then as now', () => {
    const rules: RuleSettings[] = [{ annotations: { readOnlyHint: true }, decide: 'allow' }]
    expect(replayed({ rules }, recorded)).toEqual(decided('ask'))
    expect(replayed({ rules }, { ...recorded, server: 'trusted' })).toMatchObject({ kind: 'unknown' })
  })

  test('how much of a limit was used is not recorded, so a rule with one may also have asked', () => {
    const limit: RuleSettings = { decide: 'allow', limit: { calls: 5, per: '1h' } }
    const budget: RuleSettings = {
      decide: 'allow',
      when: 'args.amount > 3',
      budget: { of: 'args.amount', max: 9, per: '1h' },
    }
    const unknown = { kind: 'unknown', effects: ['allow', 'ask'] }
    expect(replayed({ rules: [limit], default: 'deny' }, kept)).toEqual({ ...unknown, lacks: ['usage'] })
    expect(replayed({ rules: [budget], default: 'ask' }, recorded)).toEqual({
      ...unknown,
      lacks: ['arguments', 'usage'],
    })
    expect(replayed({ rules: [{ ...limit, tool: 'read' }], default: 'deny' }, kept)).toEqual(decided('deny'))
  })

  test('a condition that allows may also fail, and then it asks', () => {
    const rules: RuleSettings[] = [{ when: 'args.amount > 3', decide: 'allow' }]
    const unknown = { kind: 'unknown', lacks: ['arguments'] }
    expect(replayed({ rules, default: 'allow' }, recorded)).toEqual({ ...unknown, effects: ['allow', 'ask'] })
    const said: RuleSettings[] = [{ annotations: { readOnlyHint: true }, when: 'args.amount > 3', decide: 'allow' }]
    expect(replayed({ rules: said }, recorded)).toEqual(decided('ask'))
  })

  test('a group that does not matter leaves a participant who is named', () => {
    const rules: RuleSettings[] = [{ requester: ['group:staff', 'local'], decide: 'allow' }]
    expect(replayed({ rules }, recorded)).toEqual(decided('allow'))
  })

  test('the participants that rules name, once each', () => {
    const rules: RuleSettings[] = [
      { requester: ['local', 'group:a', 'client:b'], decide: 'deny' },
      { requester: 'local', decide: 'ask' },
      { decide: 'ask' },
    ]
    expect(namedParticipants(readPolicy({ rules }))).toEqual(['local'])
  })
})

const aRule = fc.record<RuleSettings>(
  {
    server: fc.constantFrom('files', 'mail', '*'),
    tool: fc.constantFrom('write_*', 'read', '*'),
    when: fc.constantFrom('args.amount > 3', "args.path.startsWith('/etc')", 'has(args.none)'),
    annotations: fc.constantFrom({ readOnlyHint: true }, { destructiveHint: true }),
    requester: fc.constantFrom('local', 'client:editor', 'group:staff', 'bob@https://x'),
    decide: fc.constantFrom('allow', 'ask', 'deny'),
  },
  { requiredKeys: ['decide'] },
)

test('whatever a replay says is decided, is what the policy decides on the call itself', () => {
  const aCase = fc.record({
    rules: fc.array(aRule, { maxLength: 5 }),
    default: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const),
    given: fc.record(
      { amount: fc.integer({ min: 0, max: 6 }), path: fc.constantFrom('/etc/x', '/tmp') },
      { requiredKeys: [] },
    ),
    isKept: fc.boolean(),
    trusted: fc.boolean(),
    groups: fc.subarray(['staff']),
    readOnlyHint: fc.boolean(),
  })
  let settled = 0
  fc.assert(
    fc.property(aCase, ({ rules, default: byDefault, given, isKept, trusted, groups, readOnlyHint }) => {
      const policy = readPolicy({ rules, default: byDefault })
      const server = trusted ? 'trusted' : 'files'
      const call = aCall({
        requester: { participant: 'local' as ParticipantId, client: 'editor' },
        groups,
        server,
        tool: 'write_file',
        arguments: given,
        annotations: { readOnlyHint },
        trusted,
      })
      const effect = decide(policy, call).decide
      const told = replay(policy, { ...recorded, server, ...(isKept && { arguments: given }) }, facts)
      if (told.kind === 'unknown') return told.effects.includes(effect)
      settled += 1
      return told.effect === effect
    }),
    { numRuns: 500 },
  )
  expect(settled).toBeGreaterThan(100)
})

async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('calls in the audit', () => {
  test('each is read once, with what was decided and what became of it', async () => {
    const assent = await anAssent()
    const data = { server: 'files', tool: 'write', client: 'editor', decided: 'ask' }
    const who = 'local' as ParticipantId
    await assent.record({
      kind: 'call-started',
      who,
      about: 'a',
      data: { ...data, rule: 2 },
      keep: { arguments: { x: 1 } },
    })
    await assent.record({ kind: 'call-finished', about: 'a', data: {} })
    await assent.record({ kind: 'call-refused', about: 'a', data: { ...data, reason: 'paused' } })
    await assent.record({ kind: 'call-refused', about: 'b', data: { ...data, decided: 'deny', reason: 'policy' } })
    await assent.record({ kind: 'call-started', about: 'c', data: { ...data, watched: true } })
    // Ended before anything was decided about it.
    await assent.record({
      kind: 'call-refused',
      about: 'd',
      data: { server: 'files', tool: 'x', reason: 'invalid-params' },
    })

    const found = await allOf(recordedCalls(assent.store.audit))
    expect(found).toMatchObject([
      { walk: 'a', rule: 2, decided: 'ask', ran: true, watched: false, arguments: { x: 1 } },
      { walk: 'b', decided: 'deny', ran: false, reason: 'policy' },
      { walk: 'c', decided: 'ask', ran: true, watched: true },
    ])
    expect(found[0]).not.toHaveProperty('reason')
    expect(found[1]).not.toHaveProperty('arguments')
    const later = new Date(Date.now() + 60_000)
    expect(await allOf(recordedCalls(assent.store.audit, later))).toEqual([])
  })
})
