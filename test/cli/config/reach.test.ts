import { describe, expect, test } from 'vitest'
import type { AuthConfig } from '../../../src/cli/config/config.ts'
import { findOutOfReach } from '../../../src/cli/config/reach.ts'
import { readPolicy } from '../../support/policies.ts'

const issuer = 'https://login.example.com'
const login: AuthConfig = { issuer, audience: 'a', clientId: 'c', groupsClaim: 'groups' }
const tokensOnly: AuthConfig = { issuer, audience: 'a' }
const proxy: AuthConfig = { issuer, audience: 'a', groupsClaim: 'g', proxy: { header: 'x-user', from: ['127.0.0.1'] } }

const found = (rule: object, auth?: AuthConfig, policy: object = {}) =>
  findOutOfReach(readPolicy({ ...policy, rules: [{ decide: 'ask', ...rule }] }), auth).map(
    ({ severity, path }) => `${severity} ${path.join('.')}`,
  )
const nobody = ['error policy.rules.0.approvers']
const some = ['warning policy.rules.0.approvers']
const unreached = 'error policy.rules.0.quorum'

describe('a gate whose approver nobody can reach', () => {
  test.each([
    ['local is here', { approvers: 'local' }, undefined, []],
    ['the requester is always here', {}, undefined, []],
    ['a group without a login', { approvers: 'group:admins' }, undefined, nobody],
    ['another person without a login', { approvers: `bob@${issuer}` }, undefined, nobody],
    ['one of two', { approvers: ['local', 'group:admins'] }, undefined, some],
    ['local with a login', { approvers: 'local' }, login, nobody],
    ['a person of the login', { approvers: `bob@${issuer}` }, login, []],
    ['a person of another login', { approvers: 'bob@https://other.example.com' }, login, nobody],
    ['a group of the login', { approvers: 'group:admins' }, login, []],
    ['a group by a claim that nobody named', { approvers: 'group:a' }, { ...tokensOnly, clientId: 'c' }, some],
    ['a group behind a proxy that names none', { approvers: 'group:a' }, proxy, nobody],
    ['a group behind a proxy', { approvers: 'group:a' }, withGroups(proxy), []],
    ['an allow that asks when it fails', { decide: 'allow', when: 'args.x', approvers: 'group:a' }, undefined, nobody],
    ['a quorum without a login', { approvers: ['local', 'group:a'], quorum: 2 }, undefined, [...some, unreached]],
    ['a quorum of a group', { approvers: 'group:a', quorum: 2 }, login, []],
    ['a quorum of people', { approvers: [`bob@${issuer}`, `eve@${issuer}`], quorum: 2 }, login, []],
    [
      'a quorum for which one of another login is needed',
      { approvers: [`bob@${issuer}`, 'eve@https://other.example.com'], quorum: 2 },
      login,
      [...some, unreached],
    ],
    [
      'a quorum that an escalation reaches',
      { approvers: [`bob@${issuer}`], quorum: 2, escalate: [{ after: '1m', to: `eve@${issuer}` }] },
      login,
      [],
    ],
    [
      'an escalation to nobody',
      { escalate: [{ after: '1m', to: 'group:a' }] },
      undefined,
      ['error policy.rules.0.escalate'],
    ],
    [
      'one to some',
      { escalate: [{ after: '1m', to: ['group:a', 'local'] }] },
      undefined,
      ['warning policy.rules.0.escalate'],
    ],
    ['an escalation to a group', { escalate: [{ after: '1m', to: 'group:a' }] }, login, []],
    [
      'a delegation to nobody',
      { approvers: 'local', delegate: 'group:a' },
      undefined,
      ['error policy.rules.0.delegate'],
    ],
    ['a delegation to anybody', { approvers: 'local', delegate: true }, undefined, ['error policy.rules.0.delegate']],
    ['a delegation to anybody of a login', { approvers: 'group:a', delegate: true }, login, []],
    ['a rule that asks nobody', { decide: 'deny' }, tokensOnly, ['warning policy.fallback']],
  ] as const)('%s', (_, rule, auth, expected) => {
    const read = 'when' in rule ? { ...rule, when: 'args.x == 1' } : rule
    expect(found(read, auth)).toEqual(expected)
  })

  test('without pages that people can sign in to, nobody else can approve and no page answers', () => {
    const fallback = 'warning policy.fallback'
    expect(found({ approvers: `bob@${issuer}` }, tokensOnly)).toEqual([...nobody, fallback])
    expect(found({ answer: 'page' }, tokensOnly)).toEqual(['error policy.rules.0.answer', fallback])
    expect(found({}, tokensOnly)).toEqual([fallback])
    expect(found({}, tokensOnly, { fallback: 'deny' })).toEqual([])
    expect(found({ decide: 'deny' }, tokensOnly, { default: 'deny' })).toEqual([])
  })
})

function withGroups(auth: AuthConfig): AuthConfig {
  return { ...auth, proxy: { header: 'x-user', from: ['127.0.0.1'], groupsHeader: 'x-groups' } }
}
