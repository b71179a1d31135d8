import { expect, test } from 'vitest'
import { ruleWords } from '../../../src/approval/policy/explain.ts'
import type { Rule } from '../../../src/approval/policy/policy.ts'
import { readPolicy } from '../../support/policies.ts'

function wordsOf(rule: object): object {
  const words = ruleWords(readPolicy({ rules: [rule] }).rules[0]?.rule as Rule)
  return Object.fromEntries(Object.entries(words).filter(([, said]) => said !== undefined))
}

test('a rule says everything that it settles, in words', () => {
  expect(
    wordsOf({
      server: ['bank', 'shop'],
      annotations: { readOnlyHint: false },
      decide: 'ask',
      preview: 'show',
      approvers: ['group:finance'],
      quorum: 2,
      delegate: true,
      escalate: [{ after: '10m', to: ['group:leads'] }],
      priority: 'high',
      answer: 'page',
      keepArguments: true,
      reason: 'Money leaves the house.',
    }),
  ).toMatchObject({
    server: 'bank, shop',
    annotations: 'readOnlyHint false',
    preview: 'show with the same arguments',
    quorum: '2',
    delegate: 'anybody',
    escalate: expect.stringMatching(/^after 10 ?m.* to group:leads$/),
    answer: 'page',
    keepArguments: 'true',
  })
  expect(
    wordsOf({ tool: 'pay', decide: 'ask', preview: { tool: 'show', arguments: { path: 'args.path' } } }),
  ).toMatchObject({ preview: 'show with path: args.path' })
  expect(
    wordsOf({
      decide: 'allow',
      limit: { calls: 20, per: '1h' },
      budget: { of: 'args.amount', max: 500, per: '1d' },
    }),
  ).toMatchObject({
    limit: expect.stringMatching(/^20 calls in .*, then ask$/),
    budget: expect.stringMatching(/^args\.amount up to 500 in .*, then ask$/),
  })
  expect(wordsOf({ decide: 'ask', delegate: ['group:leads'], expires: '5m' })).toMatchObject({
    delegate: 'group:leads',
  })
})
