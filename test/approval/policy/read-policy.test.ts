import { describe, expect, test } from 'vitest'
import { BadPolicy } from '../../../src/approval/policy/bad-policy.ts'
import { readPolicy } from '../../support/policies.ts'

/** Where the problems of a policy are, and what they say. */
function problemsOf(policy: unknown): string[] {
  try {
    readPolicy(policy)
  } catch (error) {
    if (!(error instanceof BadPolicy)) throw error
    expect(error.code).toBe('bad_policy')
    expect(error.path).toEqual(error.problems[0].path)
    return error.problems.map(({ path, message }) => `${path.join('.')}: ${message}`)
  }
  return []
}

const rule = (settings: object) => ({ rules: [{ decide: 'ask', ...settings }] })

test('what a policy does not say has a safe default', () => {
  expect(readPolicy({})).toMatchObject({ mode: 'enforce', default: 'ask', fallback: 'inbox', rules: [] })
  expect(readPolicy({}, { fallback: 'deny' }).fallback).toBe('deny')
  expect(readPolicy({ fallback: 'inbox' }, { fallback: 'deny' }).fallback).toBe('inbox')
})

test('a policy with every setting is read', () => {
  const policy = readPolicy({
    mode: 'watch',
    default: 'deny',
    fallback: 'deny',
    rules: [
      {
        server: 'files',
        tool: ['write_*', 'delete'],
        annotations: { destructiveHint: true },
        requester: ['local', 'alice@https://login.example.com', 'group:dev', 'client:cursor'],
        when: "args.path.startsWith('/etc')",
        decide: 'ask',
        approvers: ['group:admins', 'local'],
        editable: ['path'],
        expires: '1h',
        answer: 'page',
        fallback: 'inbox',
        keepArguments: true,
        reason: 'System files.',
      },
    ],
  })
  expect(policy).toMatchObject({ mode: 'watch', default: 'deny', fallback: 'deny' })
  expect(policy.rules[0]?.rule).toMatchObject({ server: ['files'], expiresMs: 3_600_000, keepArguments: true })
})

test('a quorum of one is no other rule than one without a quorum', () => {
  const digestOf = (settings: object) => readPolicy(rule(settings)).digest
  expect(digestOf({ quorum: 1 })).toBe(digestOf({}))
})

test.each([
  ['of a group', { quorum: 3, approvers: ['group:finance'] }],
  ['that an escalation lets be reached', { quorum: 2, approvers: ['a@x'], escalate: [{ after: '1m', to: 'b@x' }] }],
  ['that others than the requester reach', { quorum: 2, approvers: ['a@x', 'b@x', 'c@x'], requester: 'a@x' }],
  ['with a delegation to a group', { quorum: 2, approvers: ['group:x'], delegate: ['group:x'] }],
])('a quorum is read %s', (_, settings) => {
  expect(problemsOf(rule(settings))).toEqual([])
})

test('the steps of an escalation are in the order of their times', () => {
  const escalate = [
    { after: '1h', to: 'group:board' },
    { after: '10m', to: 'group:leads' },
  ]
  expect(readPolicy(rule({ escalate })).rules[0]?.rule.escalate?.map(({ to }) => to[0])).toEqual([
    'group:leads',
    'group:board',
  ])
})

describe('a policy is refused', () => {
  test.each([
    ['that is no object', 'allow', ': This must be an object with settings: mode'],
    ['with a setting nobody knows', { modes: 'watch' }, 'modes: "modes" is not a setting here. There are mode'],
    ['with a mode nobody knows', { mode: 'log' }, 'mode: This must be one of enforce, watch.'],
    ['with a default nobody knows', { default: 'maybe' }, 'default: This must be one of allow, ask, deny.'],
    ['that would fall back to allow', { fallback: 'allow' }, 'fallback: This must be one of inbox, deny.'],
    ['whose rules are no list', { rules: {} }, 'rules: This must be a list of rules.'],
    ['with far too many rules', { rules: Array(1_001).fill({}) }, 'rules: There may be at most 1000 rules.'],
    ['with a rule that is no object', { rules: ['allow'] }, 'rules.0: This must be an object'],
    ['with a rule that decides nothing', { rules: [{ tool: 'x' }] }, 'rules.0.decide: Every rule must say'],
    ['with an effect nobody knows', { rules: [{ decide: 'permit' }] }, 'rules.0.decide: This must be one of'],
    ['with a setting of a rule nobody knows', rule({ tools: 'x' }), 'rules.0.tools: "tools" is not a setting'],
    ['with a quorum of nobody', rule({ quorum: 0 }), 'rules.0.quorum: This must be a whole number from 1 to 100.'],
    ['with a quorum in words', rule({ quorum: 'two' }), 'rules.0.quorum: This must be a whole number from 1 to 100.'],
    ['with half a vote', rule({ quorum: 1.5 }), 'rules.0.quorum: This must be a whole number from 1 to 100.'],
    ['with a quorum of the requester', rule({ quorum: 2 }), 'rules.0.quorum: Without approvers only the requester'],
    [
      'with a quorum of more people than there are',
      rule({ quorum: 3, approvers: ['a@x', 'a@x'], escalate: [{ after: '1m', to: 'b@x' }] }),
      'rules.0.quorum: It cannot be reached: 3 people must say yes, and 2 can.',
    ],
    [
      'with a quorum that the requester would be needed for',
      rule({ quorum: 2, approvers: ['a@x', 'b@x'], requester: ['client:z', 'a@x'] }),
      "rules.0.quorum: It cannot be reached by calls of a@x: a requester's own yes does not count.",
    ],
    ['with a delegation that is no', rule({ delegate: false }), 'rules.0.delegate: Write true, or names. Leave it out'],
    ['with a delegation to no list', rule({ delegate: [] }), 'rules.0.delegate: This must name 1 to 100.'],
    ['with a delegation to a client', rule({ delegate: ['client:x@y'] }), 'rules.0.delegate.0: "client:x@y" cannot'],
    [
      'with a delegation to nobody else',
      rule({ approvers: ['a@x', 'b@x'], delegate: ['b@x'] }),
      'rules.0.delegate: Everybody named here is an approver already',
    ],
    [
      'with an escalation that is no list',
      rule({ escalate: true }),
      'rules.0.escalate: This must be a list of 1 to 10',
    ],
    ['with no escalation', rule({ escalate: [] }), 'rules.0.escalate: This must be a list of 1 to 10 steps'],
    ['with an escalation that is no step', rule({ escalate: ['1m'] }), 'rules.0.escalate.0: This must be an object'],
    [
      'with an escalation without a time',
      rule({ escalate: [{ to: 'group:leads' }] }),
      'rules.0.escalate.0.after: Every step must say "after".',
    ],
    [
      'with an escalation to nobody',
      rule({ escalate: [{ after: '1m', to: [] }] }),
      'rules.0.escalate.0.to: This must name 1 to 100.',
    ],
    [
      'with an escalation to those who are asked',
      rule({ approvers: ['group:leads'], escalate: [{ after: '1m', to: 'group:leads' }] }),
      'rules.0.escalate: The step after 1m adds nobody who is not asked already.',
    ],
    [
      'with an escalation after the end',
      rule({ expires: '5m', escalate: [{ after: '5m', to: 'group:leads' }] }),
      'rules.0.escalate: The question expires after 5m, before the step after 5m.',
    ],
    ['with a priority nobody knows', rule({ priority: 'asap' }), 'rules.0.priority: This must be one of urgent, high'],
    ['with an empty list', rule({ server: [] }), 'rules.0.server: This must name 1 to 100.'],
    ['with a list too long', rule({ server: Array(101).fill('a') }), 'rules.0.server: This must name 1 to 100.'],
    ['with empty text', rule({ server: ' ' }), 'rules.0.server: This must be text'],
    ['with a number for a name', rule({ tool: ['a', 7] }), 'rules.0.tool.1: This must be text'],
    ['with a hidden character', rule({ tool: 'a\u0000' }), 'rules.0.tool: This must be text'],
    ['with half a character', rule({ tool: 'a\ud800' }), 'rules.0.tool: This must be text'],
    ['with a pattern too long', rule({ tool: 'a'.repeat(257) }), 'rules.0.tool: A pattern has at most 256'],
    ['with empty annotations', rule({ annotations: {} }), 'rules.0.annotations: This must name a hint: readOnlyHint'],
    ['with a hint nobody knows', rule({ annotations: { safe: true } }), 'rules.0.annotations.safe: "safe" is not'],
    [
      'with a hint that is no yes or no',
      rule({ annotations: { readOnlyHint: 'yes' } }),
      'rules.0.annotations.readOnlyHint: This must be true or false.',
    ],
    ['with a requester who is nobody', rule({ requester: 'claude' }), 'rules.0.requester: "claude" is nobody. Write'],
    ['with an unnamed group', rule({ requester: 'group:' }), 'rules.0.requester: "group:" is nobody.'],
    ['with a client as approver', rule({ approvers: ['client:x@y'] }), 'rules.0.approvers.0: "client:x@y" cannot'],
    ['with no time at all', rule({ expires: '0s' }), 'rules.0.expires: This must be a time of at most 30d'],
    ['with a time without a unit', rule({ expires: '10' }), 'rules.0.expires: This must be a time'],
    ['with a time too long', rule({ expires: '31d' }), 'rules.0.expires: This must be a time'],
    ['with a time that is none', rule({ expires: { h: 1 } }), 'rules.0.expires: This must be a time'],
    [
      'with an answer nobody knows',
      rule({ answer: 'mail' }),
      'rules.0.answer: This must be one of client, channel, page, passkey, inbox.',
    ],
    ['with keepArguments in words', rule({ keepArguments: 'yes' }), 'rules.0.keepArguments: This must be true'],
    ['with a condition that is no text', rule({ when: true }), 'rules.0.when: This must be text'],
    ['with a condition that cannot be read', rule({ when: 'args.' }), 'rules.0.when: It cannot be read at character'],
    [
      'that runs unasked what others approve',
      rule({ fallback: 'allow', approvers: ['group:admins'] }),
      'rules.0.fallback: This cannot be allow with approvers: nobody would have said yes.',
    ],
    [
      'that runs unasked what needs a page',
      rule({ fallback: 'allow', answer: 'page' }),
      'rules.0.fallback: This cannot be allow with answer: page',
    ],
    [
      'with approvers that nobody would ask',
      { rules: [{ decide: 'deny', when: 'true', approvers: ['local'] }] },
      'rules.0.approvers: A rule that decides deny asks nobody. Leave "approvers" out.',
    ],
    [
      'with an answer to no question',
      { rules: [{ decide: 'allow', answer: 'page' }] },
      'rules.0.answer: A rule that decides allow asks nobody.',
    ],
  ])('%s', (_, policy, problem) => {
    const problems = problemsOf(policy)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(problem)
  })
})

test('all that is wrong is told at once, in the message too', () => {
  const policy = { mode: 'log', rules: [{ decide: 'ask' }, { decide: 'maybe', when: '1 +', tool: [''] }] }
  const places = problemsOf(policy).map((problem) => problem.split(':')[0])
  expect(places.sort()).toEqual(['mode', 'rules.1.decide', 'rules.1.tool.0', 'rules.1.when'])
  expect(() => readPolicy(policy)).toThrow(
    /^This policy cannot be used\.\nmode: .*\nrules\[1\]\.decide: .*\nrules\[1\]\.when: .*\nrules\[1\]\.tool\[0\]: .*$/,
  )
  const many = { rules: Array(30).fill({}) }
  expect(() => readPolicy(many)).toThrow(/\nrules\[19\]\.decide: .*\nand 10 more$/)
  expect(problemsOf(many)).toHaveLength(30)
  expect(() => readPolicy({ rules: [7] })).toThrow(/rules\[0\]: /)
  expect(() => readPolicy({ rules: [{ decide: 'ask', when: '1' }] })).toThrow(/rules\[0\]\.when: /)
})

test('an allow with a condition may say how to ask when the condition cannot be judged', () => {
  expect(problemsOf({ rules: [{ decide: 'allow', when: 'args.x > 1', approvers: ['group:admins'] }] })).toEqual([])
})

test('a policy that was read does not change with what it was read from', () => {
  const input = { rules: [{ decide: 'allow', tool: ['read'] }] }
  const policy = readPolicy(input)
  input.rules[0]?.tool.push('write')
  expect(policy.rules[0]?.rule.tool).toEqual(['read'])
})

test('the digest of a policy, and of a rule, changes with what they say and with nothing else', () => {
  const one = readPolicy({ rules: [{ decide: 'ask', tool: 'a' }] })
  const same = readPolicy({ mode: 'enforce', rules: [{ tool: ['a'], decide: 'ask', answer: 'client' }] })
  const other = readPolicy({ rules: [{ decide: 'ask', tool: 'a', when: 'true' }] })
  expect(same.digest).toBe(one.digest)
  expect(same.rules[0]?.digest).toBe(one.rules[0]?.digest)
  expect(other.digest).not.toBe(one.digest)
  expect(other.rules[0]?.digest).not.toBe(one.rules[0]?.digest)
  expect(readPolicy({ default: 'deny' }).defaultDigest).not.toBe(readPolicy({ default: 'ask' }).defaultDigest)
})
