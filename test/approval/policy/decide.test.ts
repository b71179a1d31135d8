import { describe, expect, test } from 'vitest'
import { decide } from '../../../src/approval/policy/decide.ts'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import { aCall, alice } from '../../support/approval/a-call.ts'
import { readPolicy } from '../../support/policies.ts'

type Row = [name: string, rules: object[], call: Partial<ToolCall>, decision: string]

/** The word of the decision and the number of the rule that said it; `default` where none did. */
function said(rules: object[], call: Partial<ToolCall>): string {
  const { decide: word, why } = decide(readPolicy({ rules }), aCall(call))
  return `${word} by ${why.rule ?? 'default'}`
}

const allow = { decide: 'allow' }
const ask = { decide: 'ask' }
const deny = { decide: 'deny' }
const readOnly = { annotations: { readOnlyHint: true } }

describe('the first matching rule wins', () => {
  test.each<Row>([
    ['no rule at all', [], {}, 'ask by default'],
    ['a rule without conditions', [deny], {}, 'deny by 1'],
    ['two that match', [allow, deny], {}, 'allow by 1'],
    ['another server', [{ ...allow, server: 'notes' }, deny], {}, 'deny by 2'],
    ['any of several servers', [{ ...allow, server: ['notes', 'fil*'] }], {}, 'allow by 1'],
    ['another tool', [{ ...allow, tool: 'read_*' }], {}, 'ask by default'],
    ['server and tool both', [{ ...allow, server: 'files', tool: 'read' }], {}, 'ask by default'],
    ['a participant', [{ ...allow, requester: alice }], {}, 'allow by 1'],
    ['another participant', [{ ...allow, requester: 'local' }], {}, 'ask by default'],
    ['a group', [{ ...allow, requester: ['local', 'group:dev'] }], { groups: ['ops', 'dev'] }, 'allow by 1'],
    ['a group one is not in', [{ ...allow, requester: 'group:dev' }], { groups: ['ops'] }, 'ask by default'],
    ['a client', [{ ...allow, requester: 'client:claude-code' }], {}, 'allow by 1'],
    ['a condition that holds', [{ ...deny, when: "args.path.startsWith('/tmp')" }], {}, 'deny by 1'],
    ['a condition that does not', [{ ...deny, when: "args.path.startsWith('/etc')" }], {}, 'ask by default'],
  ])('%s', (_, rules, call, decision) => expect(said(rules, call)).toBe(decision))

  test('a client that calls itself by the name of another is not the other', () => {
    const requester = { participant: alice, client: 'evil', clientName: 'claude-code' }
    expect(said([{ ...allow, requester: 'client:claude-code' }], { requester })).toBe('ask by default')
  })

  test('a group is no participant and no client, whatever they are called', () => {
    const requester = { participant: alice, client: 'group:admins' }
    expect(said([{ ...allow, requester: 'group:admins' }], { requester, groups: ['client:x'] })).toBe('ask by default')
  })
})

describe('a condition that cannot be judged counts as matched, and decides the stricter of its word and ask', () => {
  const when = 'args.missing > 1'
  test.each<Row>([
    ['an allow', [{ ...allow, when }, allow], {}, 'ask by 1'],
    ['an ask', [{ ...ask, when }, allow], {}, 'ask by 1'],
    ['a deny', [{ ...deny, when }, allow], {}, 'deny by 1'],
    ['one about another tool', [{ ...deny, tool: 'x', when }, allow], {}, 'allow by 2'],
  ])('%s', (_, rules, call, decision) => expect(said(rules, call)).toBe(decision))

  test('it says so, and never runs unasked', () => {
    const policy = readPolicy({ rules: [{ ...ask, when, fallback: 'allow', reason: 'Large sums.' }] })
    const decision = decide(policy, aCall())
    expect(decision).toMatchObject({ fallback: 'inbox', why: { rule: 1, failed: true } })
    expect(decision.why.words).toMatch(/^Nobody can tell whether rule 1/)
  })
})

describe('what a server says of its tool', () => {
  const annotations = { readOnlyHint: true }
  const claim = { annotations }
  test.each<Row>([
    ['allows on a trusted server', [{ ...allow, ...readOnly }], { ...claim, trusted: true }, 'allow by 1'],
    ['allows nothing on another', [{ ...allow, ...readOnly }, deny], claim, 'deny by 2'],
    ['allows nothing by a condition', [{ ...allow, when: 'annotations.readOnlyHint' }, deny], claim, 'deny by 2'],
    ['makes a call stricter', [{ ...deny, annotations: { destructiveHint: true } }, allow], {}, 'deny by 1'],
    ['asks where it would be allowed', [{ ...ask, ...readOnly }, allow], claim, 'ask by 1'],
    ['does not soften a deny into an ask', [{ ...ask, ...readOnly }, deny], claim, 'deny by 2'],
    ['softens it on a trusted server', [{ ...ask, ...readOnly }, deny], { ...claim, trusted: true }, 'ask by 1'],
    ['decides how to ask', [{ ...ask, ...readOnly, answer: 'page' }, ask], claim, 'ask by 1'],
    [
      'spares nobody the page',
      [
        { ...ask, ...readOnly },
        { ...ask, answer: 'page' },
      ],
      claim,
      'ask by 2',
    ],
    [
      'spares nobody the approvers',
      [
        { ...ask, ...readOnly, answer: 'page' },
        { ...ask, approvers: ['group:admins'] },
      ],
      claim,
      'ask by 2',
    ],
    [
      'is heard before a softer fallback',
      [
        { ...ask, ...readOnly },
        { ...ask, fallback: 'allow' },
      ],
      claim,
      'ask by 1',
    ],
    ['a failing condition is no way around', [{ ...allow, ...readOnly, when: 'args.x > 1' }, deny], claim, 'deny by 2'],
  ])('%s', (_, rules, call, decision) => expect(said(rules, call)).toBe(decision))

  test.each([
    ['readOnlyHint', false],
    ['destructiveHint', true],
    ['idempotentHint', false],
    ['openWorldHint', true],
  ])('a missing %s, or one that is no yes or no, counts as %s', (hint, worse) => {
    const rules = [{ ...deny, annotations: { [hint]: worse } }, allow]
    expect(said(rules, {})).toBe('deny by 1')
    expect(said(rules, { annotations: { [hint]: 'no' } })).toBe('deny by 1')
    expect(said(rules, { annotations: { [hint]: !worse } })).toBe('allow by 2')
    expect(said(rules, { annotations: Object.create({ [hint]: !worse }) })).toBe('deny by 1')
  })

  test('does not let a call run unasked', () => {
    const policy = readPolicy({ fallback: 'deny', rules: [{ ...ask, ...readOnly, fallback: 'allow' }] })
    expect(decide(policy, aCall(claim)).fallback).toBe('deny')
    expect(decide(policy, aCall({ ...claim, trusted: true })).fallback).toBe('allow')
  })
})

test('a decision carries all that the rule says', () => {
  const rule = {
    ...ask,
    approvers: ['group:admins'],
    editable: 'path',
    expires: '1h',
    answer: 'page',
    fallback: 'deny',
    keepArguments: true,
    reason: 'Writes to disk.',
  }
  const policy = readPolicy({ mode: 'watch', rules: [rule] })
  expect(decide(policy, aCall())).toEqual({
    decide: 'ask',
    why: { rule: 1, words: 'Writes to disk.' },
    ruleDigest: policy.rules[0]?.digest,
    approvers: ['group:admins'],
    answer: 'page',
    editable: ['path'],
    expiresMs: 3_600_000,
    fallback: 'deny',
    keepArguments: true,
    watched: true,
  })
})

test('where no rule speaks, the requester is asked in their own client', () => {
  const policy = readPolicy({})
  expect(decide(policy, aCall())).toEqual({
    decide: 'ask',
    why: { words: 'No rule names this call, and then a person must approve it.' },
    ruleDigest: policy.defaultDigest,
    approvers: [alice],
    answer: 'client',
    editable: [],
    fallback: 'inbox',
    keepArguments: false,
    watched: false,
  })
  expect(decide(readPolicy({ rules: [allow] }), aCall()).why.words).toBe('Rule 1 says that it may run.')
})
