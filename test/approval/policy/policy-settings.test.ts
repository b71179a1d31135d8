import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type PolicySettings,
  policySettings,
  type RuleSettings,
  ruleSettings,
} from '../../../src/approval/policy/policy-settings.ts'
import { readPolicy } from '../../support/policies.ts'

// Required<...>: a setting that the type has and this test does not is found by the compiler.
// Only a rule that allows has limits.
type Limits = Pick<RuleSettings, 'limit' | 'budget'>
const rule: Required<Omit<RuleSettings, keyof Limits>> = {
  server: 'files',
  tool: ['write_*', 'delete'],
  annotations: { destructiveHint: true },
  requester: 'group:dev',
  agents: '*@hub:ops',
  commands: ['git status', 'ls *'],
  when: "args.path.startsWith('/etc')",
  decide: 'ask',
  preview: { tool: 'diff', arguments: { path: 'args.path', lines: 3 } },
  approvers: 'group:admins',
  editable: ['path'],
  expires: '1h',
  answer: 'page',
  quorum: 2,
  delegate: true,
  escalate: [{ after: '10m', to: 'group:leads' }],
  priority: 'high',
  notify: ['group:oncall', 'channel:slack'],
  fallback: 'inbox',
  keepArguments: true,
  reason: 'System files.',
}
const limits: Required<Limits> = {
  limit: { calls: 20, per: '1h' },
  budget: { of: 'args.amount', max: 500, per: '1d' },
}
const policy: Required<PolicySettings> = {
  mode: 'watch',
  default: 'deny',
  fallback: 'deny',
  extends: ['git', { pack: 'files', server: 'docs' }],
  rules: [rule],
}

test('the reader knows exactly the settings that the types have', () => {
  expect(Object.keys(policySettings).sort()).toEqual(Object.keys(policy).sort())
  expect(Object.keys(ruleSettings).sort()).toEqual(Object.keys({ ...rule, ...limits }).sort())
})

test('every setting of the types is read', () => {
  const { mode, default: byDefault, fallback, rules } = readPolicy(policy)
  expect({ mode, default: byDefault, fallback }).toEqual({ mode: 'watch', default: 'deny', fallback: 'deny' })
  const { expires: _, ...others } = rule
  expect(rules[0]?.rule).toEqual({
    ...others,
    server: ['files'],
    requester: ['group:dev'],
    agents: ['*@hub:ops'],
    approvers: ['group:admins'],
    expiresMs: 3_600_000,
    escalate: [{ afterMs: 600_000, to: ['group:leads'] }],
  })
  expect(readPolicy({ rules: [{ decide: 'allow', ...limits }] }).rules[0]?.rule).toMatchObject({
    limit: { calls: 20, perMs: 3_600_000 },
    budget: { of: 'args.amount', max: 500, perMs: 86_400_000 },
  })
  expect([...new Set(rules.map(({ pack }) => pack))]).toEqual([undefined, 'git', 'files'])
})

test('docs/approvals.md has a row for every setting', () => {
  const rows = readFileSync('docs/approvals.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name))
  expect(rows).toEqual(expect.arrayContaining([...Object.keys(policySettings), ...Object.keys(ruleSettings)]))
})
