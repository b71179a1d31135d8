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
    ['with a quorum', rule({ quorum: 2 }), 'rules.0.quorum: "quorum" is not built yet. Leave it out.'],
    ['with a delegation', rule({ delegate: true }), 'rules.0.delegate: "delegate" is not built yet.'],
    ['with an escalation', rule({ escalate: true }), 'rules.0.escalate: "escalate" is not built yet.'],
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
      'rules.0.answer: This must be one of client, page, inbox.',
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
