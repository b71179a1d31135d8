import { describe, expect, test } from 'vitest'
import { decide } from '../../src/approval/policy/decide.ts'
import { resumeWalk, type StartedCall, walk } from '../../src/call/walk.ts'
import type { Assent } from '../../src/index.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { asks, asksAnd, audited, refusal } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const lasting = 'always_allow/tool/revoked/this'

/** A call that was started, and whose upstream has asked something before it acts. */
async function started(assent: Assent, choice?: string): Promise<StartedCall> {
  const question = choice === undefined ? undefined : (await asksAnd(assent, { choice })).id
  let running: StartedCall | undefined
  await walk<undefined, undefined, never>(
    {
      approvals: assent.approvals,
      access: async () => ({ kind: 'ready', credential: undefined }),
      async send(call) {
        running = call
        return { result: undefined, outcome: 'in-progress' }
      },
      finish: 'now',
    },
    { call: aCall(), walkId: 'walk-1', mayAsk: () => false, ...(question && { question }) },
  )
  if (running === undefined) throw new Error('It was to start.')
  return running
}

/** Continues it, as the client does with the answer to that question. */
async function goesOn(assent: Assent, running: StartedCall) {
  let sent = 0
  const entrance = {
    approvals: assent.approvals,
    async send() {
      sent += 1
      return { result: sent, outcome: 'done' } as const
    },
    finish: 'now',
  } as const
  const outcome = await resumeWalk<number, undefined, never>(entrance, running, undefined)
  return { outcome, sent }
}

const use = ({ approvals }: Assent, policy: object) => approvals.usePolicy(readPolicy(policy))
const ran = { outcome: { kind: 'done', result: 1 }, sent: 1 }
const outdated = refusal('denied', 'approval-outdated')

describe('a started call that is about to act', () => {
  test.each<[string, string | undefined, object]>([
    ['a yes to this call', 'allow_once', {}],
    ['a lasting yes', lasting, {}],
    ['policy', undefined, { default: 'allow' }],
    ['a policy that only watches', undefined, { mode: 'watch', default: 'deny' }],
    [
      'a rule that lets it run where nobody can be asked',
      undefined,
      { rules: [{ tool: '*', decide: 'ask', fallback: 'allow' }] },
    ],
  ])('goes on by %s, while nothing changed', async (_, choice, policy) => {
    const assent = await anAssent({ policy })
    expect(await goesOn(assent, await started(assent, choice))).toEqual(ran)
    expect(await audited(assent, 'call-started', 'call-finished', 'call-refused')).toMatchObject([
      { kind: 'call-started' },
      { kind: 'call-finished', data: { outcome: 'done' } },
    ])
  })

  test.each<[string, string | undefined, object, object]>([
    ['the same rule in other words', 'allow_once', {}, { rules: [{ tool: '*', decide: 'ask' }] }],
    ['a rule that allows it', 'allow_once', {}, { default: 'allow' }],
    ['a policy that only watches', 'allow_once', {}, { mode: 'watch', default: 'deny' }],
  ])('goes on under %s', async (_, choice, policy, next) => {
    const assent = await anAssent({ policy })
    const running = await started(assent, choice)
    await use(assent, next)
    expect(await goesOn(assent, running)).toEqual(ran)
  })

  test('goes on by a lasting yes that was given since', async () => {
    const assent = await anAssent({ policy: { default: 'allow' } })
    const running = await started(assent)
    await use(assent, {})
    const asked = await asks(assent, aCall(), 'walk-2')
    await assent.answer(
      asked.id,
      { participant: alice, groups: [], via: 'page' },
      { action: 'accept', content: { choice: lasting } },
    )
    expect(await goesOn(assent, running)).toEqual(ran)
  })

  test.each(['allow_once', lasting])('is refused when everything is paused (%s)', async (choice) => {
    const assent = await anAssent()
    const running = await started(assent, choice)
    await assent.approvals.pause(alice)
    expect(await goesOn(assent, running)).toEqual({ outcome: refusal('denied', 'paused'), sent: 0 })
    expect(await audited(assent, 'call-started', 'call-finished', 'call-refused')).toMatchObject([
      { kind: 'call-started' },
      { kind: 'call-refused', data: { reason: 'paused' } },
      { kind: 'call-finished', data: { outcome: 'failed' } },
    ])
  })

  test.each<[string, string | undefined, object, object, object]>([
    ['a rule denies it', 'allow_once', {}, { default: 'deny' }, refusal('denied', 'policy')],
    [
      'the rule names another approver',
      'allow_once',
      {},
      { rules: [{ tool: '*', decide: 'ask', approvers: ['group:finance'] }] },
      outdated,
    ],
    ['policy allowed it, and asks now', undefined, { default: 'allow' }, {}, outdated],
    ['policy only watched, and asks now', undefined, { mode: 'watch' }, {}, outdated],
    [
      'it ran unasked, and now nothing does',
      undefined,
      { rules: [{ tool: '*', decide: 'ask', fallback: 'allow' }] },
      { rules: [{ tool: '*', decide: 'ask', fallback: 'deny' }] },
      outdated,
    ],
  ])('is refused when %s', async (_, choice, policy, next, expected) => {
    const assent = await anAssent({ policy })
    const running = await started(assent, choice)
    await use(assent, next)
    expect(await goesOn(assent, running)).toEqual({ outcome: expected, sent: 0 })
  })

  test('is refused when the lasting yes is taken back, or somebody says never', async () => {
    const assent = await anAssent()
    const running = await started(assent, lasting)
    const [grant] = await assent.approvals.list(alice, 1)
    if (grant === undefined) throw new Error('There is a grant.')
    await assent.approvals.revoke(grant.id, alice)
    expect(await goesOn(assent, running)).toEqual({ outcome: outdated, sent: 0 })

    const once = await started(assent, 'allow_once')
    await asksAnd(assent, { choice: 'always_deny/tool/revoked/this' }, aCall({ arguments: {} }))
    expect(await goesOn(assent, once)).toEqual({ outcome: refusal('denied', 'always-denied'), sent: 0 })
  })

  test('is refused when its yes is taken back, is gone, or was spent by another walk', async () => {
    const assent = await anAssent()
    const running = await started(assent, 'allow_once')
    const { grant } = running
    if (grant === undefined) throw new Error('It was spent.')
    expect(await goesOn(assent, { ...running, walkId: 'walk-2' })).toEqual({ outcome: outdated, sent: 0 })

    const assent2 = await anAssent()
    const other = await started(assent2, 'allow_once')
    await assent2.approvals.revoke((other.grant as typeof grant).id, alice)
    expect(await goesOn(assent2, other)).toEqual({ outcome: outdated, sent: 0 })
    await assent2.store.grants.forget(alice)
    expect(await goesOn(assent2, other)).toEqual({ outcome: outdated, sent: 0 })
  })

  test('is told that it ran when its end is on record, whatever became of the claims that guard its state', async () => {
    const assent = await anAssent()
    const running = await started(assent, 'allow_once')
    expect((await goesOn(assent, running)).sent).toBe(1)
    expect(await goesOn(assent, running)).toEqual({ outcome: refusal('already-run', 'done'), sent: 0 })
    expect(await audited(assent, 'call-finished')).toHaveLength(1)
  })

  test('that a handler asked approval for is not judged by policy, but by pause and a lasting no', async () => {
    const assent = await anAssent({ policy: { default: 'deny' } })
    const decision = { ...decide(assent.approvals.policy, aCall()), decide: 'ask', byHandler: true } as const
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'w', decision })
    if (approval.kind !== 'question') throw new Error('It was to ask.')
    await assent.answer(
      approval.elicitation.id,
      { participant: alice, groups: [], via: 'page' },
      { action: 'accept', content: { choice: 'allow_once' } },
    )
    const question = approval.elicitation.id
    const { approvals } = assent
    const approved = await approvals.approve({ call: aCall(), walkId: 'w', decision, question })
    if (approved.kind !== 'approved') throw new Error('It was approved.')
    const begun = await approvals.start(approved, { walkId: 'w', policy: approvals.policy })
    if (begun.kind !== 'started' || begun.grant === undefined) throw new Error('It was started.')
    const running = { walkId: 'w', call: aCall(), decision, grant: begun.grant }
    await approvals.finish({ ...running, outcome: 'done' })
    expect(await approvals.lookAgain(running)).toBeUndefined()
    await approvals.pause(alice)
    expect(await approvals.lookAgain(running)).toEqual(refusal('denied', 'paused'))
  })
})
