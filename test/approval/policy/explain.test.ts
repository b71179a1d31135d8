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
    { agents: ['agent-a@hub:ops', '*@hub:lab'], decide: 'deny' },
    { tool: 'write_file', decide: 'ask' },
    { decide: 'deny' },
  ]
  expect(lines(rules)).toEqual([
    '1 no Does not match: the server is files, not notes or mail.',
    '2 no Does not match: the tool is write_file, not read_*.',
    '3 no Does not match: the requester is not group:admins.',
    '4 no Does not match: readOnlyHint is not true.',
    '5 no Does not match: the condition is false.',
    '6 no Does not match: it comes through no agent agent-a@hub:ops or *@hub:lab.',
    '7 yes! Matches, and decides.',
    '8 yes Matches, but rule 7 comes first.',
  ])
})

test('a rule about agents matches any agent that the call comes through, and no client that takes its name', () => {
  const rules = [{ agents: '*@hub:ops', decide: 'deny' }]
  const { requester } = aCall()
  const through = (agents: string[]) => lines(rules, aCall({ requester: { ...requester, agents } }))[0]
  for (const agents of [['c@hub:ops'], ['c@hub:ops', 'a@hub:lab'], ['a@hub:lab', 'c@hub:ops']]) {
    expect(through(agents)).toBe('1 yes! Matches, and decides.')
  }
  expect(through(['c@hub:ops2'])).toMatch(/^1 no/)
  expect(lines(rules, aCall({ requester: { ...requester, client: 'c@hub:ops', clientName: 'c@hub:ops' } }))[0]).toMatch(
    /^1 no/,
  )
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
