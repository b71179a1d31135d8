import { expect, test } from 'vitest'
import { explain } from '../../../src/approval/policy/explain.ts'
import { aCall } from '../../support/approval/a-call.ts'
import { readPolicy } from '../../support/policies.ts'

const lines = (rules: object[], call = aCall(), byDefault = 'ask') =>
  explain(readPolicy({ default: byDefault, rules }), call).rules.map(
    ({ rule, matched, decided, words }) => `${rule} ${matched ? 'yes' : 'no'}${decided ? '!' : ''} ${words}`,
  )

test('every rule says what it has to do with the call', () => {
  const rules = [
    { server: ['notes', 'mail'], decide: 'allow' },
    { tool: 'read_*', decide: 'allow' },
    { requester: 'group:admins', decide: 'allow' },
    { annotations: { readOnlyHint: true }, decide: 'ask' },
    { when: "args.path.startsWith('/etc')", decide: 'deny' },
    { tool: 'write_file', decide: 'ask' },
    { decide: 'deny' },
  ]
  expect(lines(rules)).toEqual([
    '1 no Does not match: the server is files, not notes or mail.',
    '2 no Does not match: the tool is write_file, not read_*.',
    '3 no Does not match: the requester is not group:admins.',
    '4 no Does not match: readOnlyHint is not true.',
    '5 no Does not match: the condition is false.',
    '6 yes! Matches, and decides.',
    '7 yes Matches, but rule 6 comes first.',
  ])
})

test('a condition that cannot be judged is told with what went wrong', () => {
  expect(
    lines([
      { when: 'args.sum > 1', decide: 'allow' },
      { when: 'args.sum > 2', decide: 'deny' },
    ]),
  ).toEqual([
    '1 yes! Matches, and decides (the condition cannot be judged: No such key: sum).',
    '2 yes Matches (the condition cannot be judged: No such key: sum), but rule 1 comes first.',
  ])
})

test('a rule that rests on the word of a server nobody trusts is told apart', () => {
  const soft = { annotations: { destructiveHint: true }, decide: 'allow' }
  expect(lines([soft])).toEqual([
    '1 yes Matches, but only by the word of a server that is not trusted, which cannot make a call easier.',
  ])
  expect(lines([soft, { decide: 'deny' }])[0]).toMatch(/^1 yes Matches, but only by the word/)
})
