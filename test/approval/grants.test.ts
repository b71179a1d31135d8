import { describe, expect, test } from 'vitest'
import { covers, decideByGrants, standingOf } from '../../src/approval/grant/covers.ts'
import type { Grant } from '../../src/approval/grant/grant.ts'
import { type AnsweredApproval, grantFrom, grantIdFor } from '../../src/approval/grant/grant-from.ts'
import { decide } from '../../src/approval/policy/decide.ts'
import type { Decision } from '../../src/approval/policy/policy.ts'
import { type Choice, choicesFor, choiceText, isYes, readChoice } from '../../src/approval/question/choices.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { ElicitationId } from '../../src/elicitation/elicitation.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { readPolicy } from '../support/policies.ts'

const noon = new Date('2026-11-16T12:00:00Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const hour = 3_600_000

const approved: AnsweredApproval = {
  elicitation: 'e1' as ElicitationId,
  by: alice,
  as: alice,
  through: 'client',
  at: noon,
  unspentMs: hour,
}
const once: Choice = { kind: 'allow_once' }
const always: Choice = { kind: 'always_allow', scope: 'tool', lasts: 'revoked', client: 'this' }
const never: Choice = { kind: 'always_deny', scope: 'tool', lasts: 'revoked', client: 'this' }

const decisionOn = (call: ToolCall, rule: object = {}) =>
  decide(readPolicy({ rules: [{ decide: 'ask', ...rule }] }), call)

function granted(choice: Choice, by: Partial<AnsweredApproval> = {}, call = aCall()): Grant {
  const grant = grantFrom({ ...approved, ...by }, choice, call, decisionOn(call))
  if (grant === undefined) throw new Error('No grant comes of a deny.')
  return grant
}

const standing = (grant: Grant, call = aCall(), now = noon, decision: Decision = decisionOn(call)) =>
  standingOf(grant, call, decision, now)

const otherClient = { participant: alice, client: 'cursor' }
const subAgent = { participant: alice, client: 'claude-code', agents: ['sub'] }

test('a yes for one call is bound to all of it, and made twice it is one', () => {
  const grant = granted(once)
  expect(grant).toMatchObject({
    id: grantIdFor(approved.elicitation),
    version: 1,
    effect: 'allow',
    expiresAt: later(hour),
  })
  expect(granted(once)).toEqual(grant)
  expect(grant.uses).toMatchObject({ kind: 'once' })
  expect(covers(grant, aCall(), decisionOn(aCall()), noon)).toBe(true)
})

describe('attack: a yes for A does not run B', () => {
  test.each<[string, Partial<ToolCall>]>([
    ['an argument changed', { arguments: { path: '/etc/passwd' } }],
    ['the tool changed', { tool: 'delete_file' }],
    ['the server changed', { server: 'other' }],
    ['the definition changed', { definition: 'definition-2' }],
    ['another client sends it', { requester: otherClient }],
    ['a sub-agent sends it', { requester: subAgent }],
    ['another participant sends it', { requester: { participant: bob, client: 'claude-code' } }],
  ])('%s', (_, changed) => {
    expect(standing(granted(once), aCall(changed))).toBe('elsewhere')
    expect(standing(granted(always), aCall(changed))).toBe(
      'arguments' in changed ? 'covers' : 'definition' in changed ? 'suspended' : 'elsewhere',
    )
  })

  test('the rule changed', () => {
    const call = aCall()
    expect(standing(granted(once), call, noon, decisionOn(call, { editable: ['path'] }))).toBe('elsewhere')
  })
})

test('a one-time yes ends when it is spent, revoked or over, with no grace', () => {
  const grant = granted(once)
  const spent = { ...grant, uses: { ...grant.uses, spent: { at: noon, walk: 'w' } } } as Grant
  expect(standing(spent)).toBe('spent')
  expect(standing({ ...grant, revoked: { at: noon, by: alice } })).toBe('revoked')
  expect(standing(grant, aCall(), later(hour - 1))).toBe('covers')
  expect(standing(grant, aCall(), later(hour))).toBe('expired')
})

describe('how far a lasting yes reaches', () => {
  const reach = (scope: 'tool' | 'server', lasts: 'hour' | 'day' | 'revoked', client: 'this' | 'all') =>
    granted({ kind: 'always_allow', scope, lasts, client })
  test.each<[string, Grant, Partial<ToolCall>, Date, string]>([
    ['other arguments', always0(), { arguments: {} }, later(1e12), 'covers'],
    ['an hour, within it', reach('tool', 'hour', 'this'), {}, later(hour - 1), 'covers'],
    ['an hour, after it', reach('tool', 'hour', 'this'), {}, later(hour), 'expired'],
    ['a day, after it', reach('tool', 'day', 'this'), {}, later(24 * hour), 'expired'],
    ['one client, another', reach('tool', 'day', 'this'), { requester: otherClient }, noon, 'elsewhere'],
    ['all clients, another', reach('tool', 'day', 'all'), { requester: otherClient }, noon, 'covers'],
    ['all clients, a sub-agent of one', reach('tool', 'day', 'all'), { requester: subAgent }, noon, 'elsewhere'],
    [
      'all clients, no sub-agents',
      reach('tool', 'day', 'all'),
      { requester: { ...otherClient, agents: [] } },
      noon,
      'covers',
    ],
    ['a server, another tool', reach('server', 'day', 'this'), { tool: 'x', definition: 'x' }, noon, 'covers'],
    ['a server with a changed tool', reach('server', 'day', 'this'), { serverDefinition: 'new' }, noon, 'suspended'],
  ])('%s', (_, grant, call, now, expected) => expect(standing(grant, aCall(call), now)).toBe(expected))

  function always0(): Grant {
    return granted(always)
  }

  test('a server of which nobody knows all tools', () => {
    const { serverDefinition: _, ...call } = aCall()
    expect(standing(reach('server', 'day', 'this'), call)).toBe('suspended')
    const blind = granted({ kind: 'always_allow', scope: 'server', lasts: 'day', client: 'this' }, {}, call)
    expect(standing(blind, call)).toBe('suspended')
  })
})

describe("a lasting yes counts only where today's policy would take it", () => {
  const call = aCall()
  const byBob = { by: bob, as: 'group:admins', through: 'page' } as const
  test.each<[string, Grant, object, string]>([
    ['own, where one is asked oneself', granted(always), {}, 'covers'],
    ['own, where admins are asked', granted(always), { approvers: ['group:admins'] }, 'weak'],
    ['in the client, where a page is needed', granted(always), { answer: 'page' }, 'weak'],
    ['on a page, where a page is needed', granted(always, { through: 'page' }), { answer: 'page' }, 'covers'],
    ['by an admin, where admins are asked', granted(always, byBob), { approvers: ['group:admins'] }, 'covers'],
    ['by an admin, where owners are asked', granted(always, byBob), { approvers: ['group:owners'] }, 'weak'],
  ])('%s', (_, grant, rule, expected) => expect(standing(grant, call, noon, decisionOn(call, rule))).toBe(expected))

  test('one kept without saying how it was given counts as said in the client', () => {
    const { given: _, ...grant } = granted(always, { through: 'page' })
    expect(standing(grant, call)).toBe('covers')
    expect(standing(grant, call, noon, decisionOn(call, { answer: 'page' }))).toBe('weak')
  })
})

test.each<[string, readonly string[] | undefined, string]>([
  ['exactly these', ['outer', 'sub'], 'covers'],
  ['one of them', ['sub'], 'elsewhere'],
  ['one more', ['outer', 'sub', 'inner'], 'elsewhere'],
  ['another order', ['sub', 'outer'], 'elsewhere'],
  ['none', undefined, 'elsewhere'],
])('a lasting yes for agents, today %s: %s', (_, agents, expected) => {
  const requester = { participant: alice, client: 'claude-code' }
  const grant = granted(always, {}, aCall({ requester: { ...requester, agents: ['outer', 'sub'] } }))
  expect(grant.agents).toEqual(['outer', 'sub'])
  expect(standing(grant, aCall({ requester: { ...requester, ...(agents && { agents }) } }))).toBe(expected)
})

test('a lasting no holds whatever becomes of the tool, the policy and the agents', () => {
  const grant = granted(never)
  expect(grant.effect).toBe('deny')
  const call = aCall({ definition: 'definition-2', requester: subAgent })
  expect(standing(grant, call, noon, decisionOn(call, { approvers: ['group:admins'] }))).toBe('covers')
})

describe('grants read together', () => {
  const call = aCall()
  const read = (...grants: Grant[]) => decideByGrants(grants, call, decisionOn(call), noon)
  const yes = granted(always)
  const no = { ...granted(never), id: grantIdFor('e2' as ElicitationId) }
  const over = { ...yes, expiresAt: noon }
  const changed = { ...yes, definition: 'before' }

  test('any no beats any yes, in whatever order', () => {
    expect(read(yes, no)).toEqual({ status: 'denied', grant: no })
    expect(read(no, yes)).toEqual({ status: 'denied', grant: no })
  })

  test('a no that is over or revoked denies nothing', () => {
    expect(read({ ...no, expiresAt: noon }, yes).status).toBe('granted')
    expect(read({ ...no, revoked: { at: noon, by: alice } }).status).toBe('required')
  })

  test('one yes is enough', () => {
    expect(read(over, changed, yes)).toEqual({ status: 'granted', grant: yes })
  })

  test('without one that counts a person is asked, and told of the one that no longer does', () => {
    expect(read()).toEqual({ status: 'required' })
    expect(read(over)).toEqual({ status: 'expired', grant: over })
    expect(read(over, changed)).toEqual({ status: 'required', suspended: changed })
    const weak = { ...yes, given: { as: bob, through: 'page' } } as Grant
    expect(read(weak)).toEqual({ status: 'required', suspended: weak })
  })
})

test('a plain deny is remembered by nobody', () => {
  expect(grantFrom(approved, { kind: 'deny' }, aCall(), decisionOn(aCall()))).toBeUndefined()
})

describe('what an approver may choose', () => {
  const offered = (call = aCall(), rule: object = {}, approver = alice, place: 'form' | 'page' = 'form') =>
    choicesFor(call, decisionOn(call, rule), approver, place).map(choiceText)

  test('a form has few choices, narrowest first', () => {
    expect(offered()).toEqual([
      'allow_once',
      'always_allow/tool/hour/this',
      'always_allow/tool/day/this',
      'always_allow/tool/revoked/this',
      'always_allow/tool/revoked/all',
      'always_allow/server/hour/this',
      'deny',
      'always_deny/tool/revoked/this',
    ])
  })

  test('a page has all of them', () => {
    const all = offered(aCall(), {}, alice, 'page')
    expect(all.filter((choice) => choice.startsWith('always_allow'))).toHaveLength(14)
    expect(all.filter((choice) => choice.startsWith('always_deny'))).toHaveLength(4)
  })

  test('nobody answers for all clients of somebody else', () => {
    const all = offered(aCall(), { approvers: [bob] }, bob, 'page')
    expect(all.filter((choice) => choice.endsWith('/all'))).toEqual([])
    expect(all).toContain('always_allow/server/revoked/this')
  })

  test('what lasts for agents is for the client that asks, never for all', () => {
    const all = offered(aCall({ requester: subAgent }), {}, alice, 'page')
    expect(all).toContain('always_allow/tool/revoked/this')
    expect(all.filter((choice) => choice.startsWith('always_allow/') && choice.endsWith('/all'))).toEqual([])
  })

  test('nothing lasting is allowed by a rule that could not be judged', () => {
    const bare = ['allow_once', 'deny', 'always_deny/tool/revoked/this']
    expect(offered(aCall(), { when: 'args.x > 1' })).toEqual(bare)
  })

  test('nothing is allowed for a server of which nobody knows all tools', () => {
    const { serverDefinition: _, ...call } = aCall()
    expect(offered(call, {}, alice, 'page').filter((choice) => choice.includes('/server/'))).toEqual([])
  })
})

describe('trap 17: an accept without a clear choice is never a yes', () => {
  const call = aCall()
  const offered = choicesFor(call, decisionOn(call), alice, 'form')
  test.each([
    ['no content', undefined],
    ['null', null],
    ['text', 'allow_once'],
    ['no choice', { approve: true }],
    ['a choice nobody offered', { choice: 'always_allow/server/revoked/all' }],
    ['a choice in other letters', { choice: 'Allow_Once' }],
    ['several choices', { choice: ['allow_once'] }],
    ['true', { choice: true }],
    ['an inherited choice', Object.create({ choice: 'allow_once' })],
  ])('%s', (_, content) => expect(readChoice(content, offered)).toBeUndefined())

  test('a clear choice is what it says', () => {
    expect(readChoice({ choice: 'allow_once' }, offered)).toEqual(once)
    expect(readChoice({ choice: 'always_allow/tool/revoked/this' }, offered)).toEqual(always)
    expect(readChoice({ choice: 'deny' }, offered)).toEqual({ kind: 'deny' })
    expect([once, always, never, { kind: 'deny' } as const].map(isYes)).toEqual([true, true, false, false])
  })
})
