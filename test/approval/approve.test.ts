import { describe, expect, test } from 'vitest'
import type { GrantId } from '../../src/approval/grant/grant.ts'
import { grantIdFor } from '../../src/approval/grant/grant-from.ts'
import { grantSentence } from '../../src/approval/grant/grant-sentence.ts'
import type { Decision } from '../../src/approval/policy/policy.ts'
import type { PolicySettings, RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { Via } from '../../src/elicitation/answering/answerers.ts'
import type { Answer } from '../../src/elicitation/elicitation.ts'
import type { Content } from '../../src/elicitation/form/schema.ts'
import type { Assent } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd, audited, by, isApproved, refusal, say } from '../support/approval/approving.ts'
import { anAsk, onPage } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const carol = 'carol@https://login.example.com' as typeof alice
const hour = 3_600_000
const rule = (said: Partial<RuleSettings>): PolicySettings => ({ rules: [{ decide: 'ask', ...said }] })
const approve = ({ approvals }: Assent, call = aCall(), more: object = {}) =>
  approvals.approve({ call, walkId: 'walk-1', ...more })

/** The words of a no, and what the model is to do then. */
const said = (words: string) => `${words}Nothing ran. Do not try again unless they ask for it.`

describe('everything but a clear yes is a refusal that a model can act on', () => {
  test.each<[string, Answer | Content, unknown]>([
    ['a no', { action: 'decline' }, refusal('denied', 'declined', said('The person said no. '))],
    [
      'a no with a reason',
      { action: 'decline', reason: ' Use staging. ' },
      refusal('denied', 'declined', said('The person said no. Their reason: Use staging.\n')),
    ],
    [
      'a no with an empty reason',
      { action: 'decline', reason: ' ' },
      refusal('denied', 'declined', said('The person said no. ')),
    ],
    ['leaving', { action: 'cancel' }, refusal('cancelled', 'cancelled')],
    ['trap 17: an accept that says deny', { choice: 'deny' }, refusal('denied', 'deny', said('The person said no. '))],
    [
      'an accept that says deny, with a reason',
      { choice: 'deny', reason: 'Too late.' },
      refusal('denied', 'deny', said('The person said no. Their reason: Too late.\n')),
    ],
    ['a lasting no', { choice: 'always_deny/tool/revoked/this' }, refusal('denied', 'always-denied')],
  ])('%s', async (_, given, expected) => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent, given)
    const upstream = anUpstream(assent)
    expect(await upstream.run(aCall(), 'walk-1', id)).toEqual(expected)
    expect(upstream.sent).toEqual([])
  })

  test('a lasting no is a no also to the walk that keeps it', async () => {
    const assent = await anAssent()
    const asked = await asksAnd(assent, { choice: 'always_deny/tool/revoked/this', reason: 'Never.' })
    const kept = await assent.approvals.keepGrant(await getExisting(assent, asked.id))
    const message = said('The person said no. Their reason: Never.\n')
    expect(kept).toEqual({ kind: 'no', refusal: refusal('denied', 'always_deny', message) })
  })

  test('nobody answered', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { id } = await asks(assent)
    clock.advance(630_000)
    expect(await approve(assent, aCall(), { question: id })).toEqual(refusal('expired', 'unanswered'))
  })

  test('it could not be asked', async () => {
    const assent = await anAssent()
    const { id } = await asks(assent)
    await assent.fail(id, 'The page is gone.')
    const message = 'It could not be asked: The page is gone.'
    expect(await approve(assent, aCall(), { question: id })).toEqual(refusal('failed', 'failed', message))
  })

  test('the requester took it back', async () => {
    const assent = await anAssent()
    const { id } = await asks(assent)
    await assent.withdraw(id, aCall().requester, 'cancelled')
    expect(await approve(assent, aCall(), { question: id })).toEqual(refusal('cancelled', 'withdrawn'))
  })

  test('a no stays a no when policy allows it meanwhile', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent, { action: 'decline' })
    await assent.approvals.usePolicy(readPolicy({ default: 'allow' }))
    expect(await approve(assent, aCall(), { question: id })).toEqual(refusal('denied', 'declined'))
  })

  test.each<[string, Content]>([
    ['nothing', {}],
    ['true', { choice: 'true' }],
    ['approve: false', { approve: false }],
    ['a choice that was not offered', { choice: 'always_allow/everything' }],
  ])('trap 17: an accept with %s leaves the question open', async (_, content) => {
    const assent = await anAssent()
    const asked = await asks(assent)
    expect(await say(assent, asked, content)).toMatchObject({ kind: 'invalid', errors: [{ field: 'choice' }] })
    expect((await assent.get(asked.id))?.state.kind).toBe('open')
    expect((await asks(assent, aCall(), 'walk-1', asked.id)).id).toBe(asked.id)
  })

  test('an accept that came past every check, without a choice, is a no', async () => {
    const assent = await anAssent()
    const asked = await asks(assent)
    const at = new Date()
    const state = {
      kind: 'answered',
      answer: { action: 'accept' },
      by: { participant: alice, via: 'page' },
      at,
    } as const
    await assent.store.elicitations.saveIfUnchanged({ ...asked, version: 2, state })
    expect(await approve(assent, aCall(), { question: asked.id })).toEqual(refusal('denied', 'no-choice'))
  })

  test('what is no answered approval keeps no grant', async () => {
    const assent = await anAssent()
    await expect(assent.approvals.keepGrant(await asks(assent))).rejects.toThrow(TypeError)
  })
})

describe('a lasting yes covers what its sentence says, and no more', () => {
  const cursor = { participant: alice, client: 'cursor' }
  const otherTool = { tool: 'read_file', definition: 'definition-9' }
  test.each<[string, string, Partial<ToolCall>, number, boolean]>([
    ['tool/hour/this', 'Allows claude-code to run write_file on files, until 1 Jan 2026, 01:00.', {}, hour - 1, true],
    ['tool/hour/this', 'Allows claude-code to run write_file on files, until 1 Jan 2026, 01:00.', {}, hour, false],
    ['tool/day/this', 'Allows claude-code to run write_file on files, until 2 Jan 2026, 00:00.', {}, 24 * hour, false],
    [
      'tool/revoked/this',
      'Allows claude-code to run write_file on files, until it is revoked.',
      {},
      9_999 * hour,
      true,
    ],
    [
      'tool/revoked/this',
      'Allows claude-code to run write_file on files, until it is revoked.',
      { requester: cursor },
      0,
      false,
    ],
    ['tool/revoked/this', 'Allows claude-code to run write_file on files, until it is revoked.', otherTool, 0, false],
    [
      'tool/revoked/all',
      'Allows every client to run write_file on files, until it is revoked.',
      { requester: cursor },
      0,
      true,
    ],
    ['server/hour/this', 'Allows claude-code to run every tool of files, until 1 Jan 2026, 01:00.', otherTool, 0, true],
    [
      'server/hour/this',
      'Allows claude-code to run every tool of files, until 1 Jan 2026, 01:00.',
      { server: 'x' },
      0,
      false,
    ],
    [
      'server/revoked/all',
      'Allows every client to run every tool of files, until it is revoked.',
      { ...otherTool, requester: cursor },
      0,
      true,
    ],
    [
      'server/revoked/all',
      'Allows every client to run every tool of files, until it is revoked.',
      { requester: { ...cursor, participant: bob } },
      0,
      false,
    ],
    // Trap 12.
    [
      'tool/revoked/this',
      'Allows claude-code to run write_file on files, until it is revoked.',
      { definition: 'new' },
      0,
      false,
    ],
    [
      'server/revoked/all',
      'Allows every client to run every tool of files, until it is revoked.',
      { serverDefinition: 'new' },
      0,
      false,
    ],
    // Trap 14.
    [
      'tool/revoked/all',
      'Allows every client to run write_file on files, until it is revoked.',
      { requester: { ...cursor, agents: ['sub'] } },
      0,
      false,
    ],
  ])('%s: %s %j after %i ms', async (reach, sentence, changed, ms, isCovered) => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    await asksAnd(assent, { choice: `always_allow/${reach}` })
    const [grant] = await assent.approvals.list(alice, 10)
    expect(grant && grantSentence(grant, { now: clock.now() })).toBe(sentence)
    clock.advance(ms)
    const approval = await approve(assent, aCall({ arguments: { path: '/other' }, ...changed }))
    expect(approval.kind).toBe(isCovered ? 'approved' : 'question')
  })

  test('it runs as often as it is called, and each time the audit names it', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' })
    const upstream = anUpstream(assent)
    for (const name of ['walk-1', 'walk-2']) expect((await upstream.run(aCall(), name)).kind).toBe('done')
    expect(upstream.sent).toHaveLength(2)
    const grants = (await audited(assent, 'call-started')).map(({ data }) => data.grant)
    expect(grants).toEqual([grantIdFor(id), grantIdFor(id)])
    expect(await audited(assent, 'grant-spent')).toEqual([])
  })

  test("today's policy wins where it is stricter", async () => {
    const assent = await anAssent()
    await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' }, aCall(), by(alice, 'client'))
    isApproved(await approve(assent))
    for (const [stricter, expected] of [
      [{ default: 'deny' }, 'refused'],
      [rule({ approvers: [bob] }), 'question'],
      [rule({ answer: 'page' }), 'question'],
    ] as const) {
      await assent.approvals.usePolicy(readPolicy(stricter))
      expect((await approve(assent)).kind).toBe(expected)
    }
  })

  test('a lasting no beats a policy that allows', async () => {
    const assent = await anAssent()
    await asksAnd(assent, { choice: 'always_deny/tool/revoked/this' })
    await assent.approvals.usePolicy(readPolicy({ default: 'allow' }))
    expect(await approve(assent)).toEqual(refusal('denied', 'always-denied'))
    expect((await approve(assent, aCall({ tool: 'read_file' }))).kind).toBe('approved')
  })

  test('one that is given while another question is open lets that walk go on', async () => {
    const assent = await anAssent()
    const waiting = await asks(assent)
    await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' }, aCall({ arguments: {} }))
    isApproved(await approve(assent, aCall(), { question: waiting.id }))
  })
})

describe('revoking', () => {
  async function granted() {
    const assent = await anAssent({ policy: rule({ approvers: [bob] }) })
    const asked = await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' }, aCall(), onPage(bob))
    return { assent, id: grantIdFor(asked.id) }
  }
  test.each([
    ['the one whose calls it covers', alice, alice],
    ['the one who gave it', bob, bob],
    ['whoever runs the installation', 'operator' as const, 'operator'],
  ])('%s may', async (_, who, name) => {
    const { assent, id } = await granted()
    isApproved(await approve(assent))
    const revoked = await assent.approvals.revoke(id, who)
    expect(revoked?.revoked?.by).toBe(name)
    expect((await approve(assent)).kind).toBe('question')
    // Twice is once.
    expect(await assent.approvals.revoke(id, who)).toEqual(revoked)
    const events = await audited(assent, 'grant-revoked')
    expect(events).toHaveLength(1)
    const [{ data, who: pseudonym } = { data: {} }] = events
    expect(data).toEqual({ server: 'files', tool: 'write_file', ...(who === 'operator' && { by: 'operator' }) })
    expect(pseudonym === undefined).toBe(who === 'operator')
    // Trap 13: what was said, and taken back, can be seen.
    expect(await assent.approvals.list(alice, 10)).toHaveLength(1)
    expect(await assent.approvals.listAll(10)).toHaveLength(1)
  })

  test('a stranger may not, and what is not there is not revoked', async () => {
    const { assent, id } = await granted()
    expect(await assent.approvals.revoke(id, carol)).toBeUndefined()
    expect(await assent.approvals.revoke('grant-x' as GrantId, 'operator')).toBeUndefined()
    isApproved(await approve(assent))
    expect(await audited(assent, 'grant-revoked')).toEqual([])
  })

  test('at once with another change, it is done all the same', async () => {
    const { assent, id } = await granted()
    const both = await Promise.all([assent.approvals.revoke(id, alice), assent.approvals.revoke(id, bob)])
    expect(both.map((grant) => grant?.version)).toEqual([2, 2])
  })
})

describe('whose yes counts', () => {
  const admins = ['admins']

  test('one given as a member of a group is remembered as that, and counts for no other group', async () => {
    const assent = await anAssent({ policy: rule({ approvers: ['group:admins'] }) })
    const asked = await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' }, aCall(), onPage(bob, admins))
    expect((await assent.get(asked.id))?.state).toMatchObject({ by: { participant: bob, as: 'group:admins' } })
    const grant = await assent.store.grants.get(grantIdFor(asked.id))
    expect(grant).toMatchObject({ grantedBy: bob, given: { as: 'group:admins', through: 'page' } })
    isApproved(await approve(assent))
    await assent.approvals.usePolicy(readPolicy(rule({ approvers: ['group:owners'] })))
    expect((await approve(assent)).kind).toBe('question')
  })

  test('one who is named, and a member too, counts by name', async () => {
    const assent = await anAssent({ policy: rule({ approvers: ['group:admins', bob] }) })
    const asked = await asksAnd(assent, { choice: 'allow_once' }, aCall(), onPage(bob, admins))
    const grant = await assent.store.grants.get(grantIdFor(asked.id))
    expect(grant?.given).toEqual({ as: bob, through: 'page', rule: expect.any(String) })
  })

  test.each<[Via, string]>([
    ['client', 'client'],
    ['hub', 'client'],
    ['channel', 'channel'],
    ['page', 'page'],
    ['inbox', 'page'],
    ['terminal', 'page'],
  ])('a yes by way of the %s proves as much as one through the %s', async (via, through) => {
    const assent = await anAssent()
    const asked = await asksAnd(assent, { choice: 'allow_once' }, aCall(), by(alice, via))
    expect((await assent.store.grants.get(grantIdFor(asked.id)))?.given?.through).toBe(through)
  })

  test('nobody says yes for all clients of somebody else', async () => {
    const assent = await anAssent({ policy: rule({ approvers: [bob] }) })
    const asked = await asks(assent)
    const answered = await say(assent, asked, { choice: 'always_allow/tool/revoked/all' }, onPage(bob))
    expect(answered).toMatchObject({ kind: 'invalid', errors: [{ field: 'choice' }] })
  })

  const ways: Via[] = ['client', 'page', 'inbox', 'terminal', 'hub']
  test.each(ways)('attack: the requester of a call that needs someone else answers by way of the %s', async (via) => {
    const assent = await anAssent({ policy: rule({ approvers: [bob] }) })
    const asked = await asks(assent)
    for (const given of [{ choice: 'allow_once' }, { action: 'decline' }] as const) {
      await expect(say(assent, asked, given, by(alice, via))).rejects.toMatchObject({ code: 'participant_mismatch' })
    }
    expect(await assent.get(asked.id)).toEqual(asked)
    expect(await assent.store.grants.get(grantIdFor(asked.id))).toBeUndefined()
    const refused = await audited(assent, 'answer-refused')
    expect(refused.map(({ data }) => data)).toMatchObject([{ via }, { via }])
    const upstream = anUpstream(assent)
    expect((await upstream.run(aCall(), 'walk-1', asked.id)).kind).toBe('question')
    expect(upstream.sent).toEqual([])
  })

  test('attack: a client answers what must be answered on the page', async () => {
    const assent = await anAssent({ policy: rule({ answer: 'page' }) })
    const asked = await asks(assent)
    expect(asked.question).toMatchObject({ mode: 'url', page: 'approve' })
    const given = say(assent, asked, { choice: 'allow_once' }, by(alice, 'client'))
    await expect(given).rejects.toMatchObject({ code: 'channel_refused' })
  })
})

describe('pausing', () => {
  test('denies everything at once, in every process that shares the store', async () => {
    const store = { ...openMemoryStore(), close: async () => {} }
    const one = await anAssent({ store, policy: { default: 'allow' } })
    const two = await anAssent({ store, policy: { mode: 'watch' } })
    expect(await two.approvals.resume(alice)).toBe(false)
    expect(await one.approvals.pause(alice)).toBe(true)
    expect(await two.approvals.pause(alice)).toBe(false)
    for (const assent of [one, two]) {
      expect(await assent.approvals.isPaused()).toBe(true)
      expect(await approve(assent)).toEqual(refusal('denied', 'paused'))
    }
    expect(await two.approvals.resume(bob)).toBe(true)
    expect(await one.approvals.resume(bob)).toBe(false)
    for (const assent of [one, two]) isApproved(await approve(assent))
    // And again.
    expect(await two.approvals.pause(bob)).toBe(true)
    expect(await approve(one)).toEqual(refusal('denied', 'paused'))
    expect(await audited(one, 'paused', 'resumed')).toHaveLength(6)
  })

  test('by many at once is one pause', async () => {
    const assent = await anAssent()
    await assent.approvals.pause(alice)
    await assent.approvals.resume(alice)
    const paused = await Promise.all(Array.from({ length: 10 }, () => assent.approvals.pause(alice)))
    expect(paused.filter(Boolean)).toHaveLength(1)
  })
})

describe('what policy says by itself', () => {
  test('watching stops nothing, and is written down as what it is', async () => {
    const assent = await anAssent({ policy: { mode: 'watch', default: 'deny' } })
    expect((await anUpstream(assent).run(aCall(), 'walk-1')).kind).toBe('done')
    const [started] = await audited(assent, 'call-started')
    expect(started?.data).toMatchObject({ decided: 'deny', watched: true })
  })

  test('a call that nobody can be asked about is denied', async () => {
    const assent = await anAssent()
    expect(await approve(assent, aCall(), { mayAsk: () => false })).toEqual(refusal('denied', 'cannot-ask'))
    expect((await approve(assent, aCall(), { mayAsk: () => true })).kind).toBe('question')
  })

  test('unless its rule says that it may run then, which the audit calls by its name', async () => {
    const assent = await anAssent({ policy: rule({ fallback: 'allow' }) })
    isApproved(await approve(assent, aCall(), { mayAsk: ({ fallback }: Decision) => fallback !== 'allow' }))
    const [unasked] = await audited(assent, 'allowed-unasked')
    expect(unasked).toMatchObject({ about: 'walk-1', data: { server: 'files', tool: 'write_file', rule: 1 } })
  })

  test('a tool whose name speaks of secrets can be asked about; a handler that asks for one cannot', async () => {
    const assent = await anAssent()
    const asked = await asks(assent, aCall({ tool: 'set_password' }))
    expect(asked.question.message).toBe('Run set_password on files?')
    const message = 'Please enter your password as the reason'
    await expect(approve(assent, aCall({ tool: 'x' }), { message })).rejects.toMatchObject({ code: 'form_asks_secret' })
  })

  test('a call too large to show is refused as a result, and a handler with too many words is told', async () => {
    const assent = await anAssent()
    const large = aCall({ arguments: { content: 'x'.repeat(300_000) } })
    expect(await approve(assent, large)).toEqual(refusal('denied', 'cannot-ask'))
    const message = 'word '.repeat(1_000)
    await expect(approve(assent, aCall(), { message })).rejects.toMatchObject({ code: 'bad_question' })
  })

  test('a requester with too many questions open is refused as a result', async () => {
    const assent = await anAssent({ limits: { openPerRequester: 1 } })
    await asks(assent)
    expect(await approve(assent, aCall({ arguments: {} }))).toEqual(refusal('denied', 'too-many-open'))
  })
})

test('a question about a call stays open as long as its rule says', async () => {
  const assent = await anAssent({ policy: rule({ expires: '2h' }) })
  const { createdAt, expiresAt } = await asks(assent)
  expect(expiresAt.getTime() - createdAt.getTime()).toBe(2 * hour)
})

test('an answer to any other question is none to an approval', async () => {
  const assent = await anAssent()
  const { elicitation } = await assent.ask(anAsk())
  expect(await say(assent, elicitation, { branch: 'main' })).toMatchObject({ kind: 'kept' })
  expect(await assent.approvals.listAll(10)).toEqual([])
})

describe('what a handler asks by itself', () => {
  const decision: Decision = {
    decide: 'ask',
    why: { words: 'The tool itself asks for this.' },
    ruleDigest: 'handler',
    approvers: [alice],
    answer: 'client',
    editable: [],
    fallback: 'deny',
    keepArguments: false,
    watched: false,
    byHandler: true,
  }

  test('is asked although there is a lasting yes, and offers none', async () => {
    const assent = await anAssent()
    await asksAnd(assent, { choice: 'always_allow/tool/revoked/this' })
    const approval = await approve(assent, aCall(), { decision, message: 'Deploy it?' })
    if (approval.kind !== 'question') throw new Error('It asks.')
    expect(approval.elicitation.question.message).toBe('Deploy it?')
    const given = await say(assent, approval.elicitation, { choice: 'always_allow/tool/revoked/this' })
    expect(given.kind).toBe('invalid')
    await say(assent, approval.elicitation, { choice: 'allow_once' })
    isApproved(await approve(assent, aCall(), { decision, question: approval.elicitation.id }))
  })
})

describe('a yes of which the question is kept no longer', () => {
  test('is not used, for nobody knows what was edited: it is asked anew', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock, retain: { settled: 60_000 } })
    const { id } = await asksAnd(assent)
    clock.advance(60_001)
    await assent.tidy()
    expect(await assent.get(id)).toBeUndefined()
    expect(await assent.store.grants.get(grantIdFor(id))).toBeDefined()
    expect((await asks(assent)).id).not.toBe(id)
    expect((await asks(assent, aCall(), 'walk-1', id)).id).not.toBe(id)
  })

  test('or that came of none', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent)
    const { elicitation: _, ...kept } = (await assent.store.grants.get(grantIdFor(id))) ?? {}
    await assent.store.grants.forget(alice)
    await assent.store.grants.add({ ...kept, id: 'by-hand' } as never)
    expect((await approve(assent)).kind).toBe('question')
  })

  test('or whose question is not answered: nobody said yes to it', async () => {
    const assent = await anAssent()
    const { id } = await asksAnd(assent)
    const open = await asks(assent, aCall({ arguments: {} }))
    const kept = await assent.store.grants.get(grantIdFor(id))
    await assent.store.grants.forget(alice)
    await assent.store.grants.add({ ...kept, elicitation: open.id } as never)
    expect(await approve(assent)).toMatchObject({ kind: 'question' })
  })

  test('a store that fails is no lost question', async () => {
    const store = openMemoryStore()
    const assent = await anAssent({ store })
    const { id } = await asks(assent)
    const broken = new Error('The disk is gone.')
    store.elicitations.get = () => Promise.reject(broken)
    await expect(approve(assent, aCall(), { question: id })).rejects.toBe(broken)
  })
})
