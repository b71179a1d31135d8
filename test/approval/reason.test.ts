import { describe, expect, test } from 'vitest'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import type { Answer } from '../../src/elicitation/elicitation.ts'
import type { Content } from '../../src/elicitation/form/schema.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { asksAnd, audited, by } from '../support/approval/approving.ts'
import { onPage } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'

const policy: PolicySettings = { rules: [{ decide: 'ask', approvers: [alice, bob], editable: ['path'] }] }
const at = new Date('2026-03-01T12:00:00.000Z')
const inTheEvening = 'Only in the evening.'
const yes = { choice: 'allow_once', reason: ` ${inTheEvening} `, edit_path: '/tmp/notes.txt' }

const place = () => anAssent({ policy, clock: fixedClock(at) })

describe('a yes', () => {
  test('says who gave it, when, by which way and why', async () => {
    const assent = await place()
    const { id } = await asksAnd(assent, yes, aCall(), by(bob, 'inbox'))
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-1', question: id })
    const given = { by: bob, at, via: 'inbox', reason: inTheEvening }
    expect(approval).toMatchObject({ kind: 'approved', changes: [], given })
    const kept = await assent.approvals.keepGrant(await getExisting(assent, id))
    expect(kept).toMatchObject({ kind: 'yes', given })
  })

  test('says so too where the approver changed the arguments, or the one who asked comes back later', async () => {
    const assent = await place()
    await asksAnd(assent, { ...yes, edit_path: '/tmp/other.txt' })
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-2' })
    const given = { by: alice, at, via: 'page', reason: inTheEvening }
    expect(approval).toMatchObject({ kind: 'approved', changes: [{ name: 'path' }], given })
  })

  test('may come without a reason; blanks are none', async () => {
    const assent = await place()
    const { id } = await asksAnd(assent, { ...yes, reason: '  ' })
    const approval = await assent.approvals.approve({ call: aCall(), walkId: 'walk-1', question: id })
    expect(approval).toHaveProperty('given', { by: alice, at, via: 'page' })
  })

  test('that lasts is the yes to the call it was asked about, not to the calls that follow', async () => {
    const assent = await place()
    const { id } = await asksAnd(assent, { ...yes, choice: 'always_allow/tool/hour/this' })
    const walk = { call: aCall(), walkId: 'walk-1' }
    expect(await assent.approvals.approve({ ...walk, question: id })).toHaveProperty('given.reason', inTheEvening)
    const next = await assent.approvals.approve({ ...walk, call: aCall({ arguments: {} }), walkId: 'walk-2' })
    expect(next).toMatchObject({ kind: 'approved', grant: { grantedBy: alice } })
    expect(next).not.toHaveProperty('given')
  })
})

describe('the reason of an approver', () => {
  const cases: [string, Answer | Content][] = [
    ['with a yes', yes],
    ['with a no', { ...yes, choice: 'deny' }],
    ['with a decline', { action: 'decline', reason: inTheEvening }],
  ]
  test.each(cases)('%s is kept in the audit until they are forgotten', async (_, given) => {
    const assent = await place()
    const { id } = await asksAnd(assent, given, aCall(), onPage(bob))
    const [answered] = await audited(assent, 'question-answered')
    expect(answered).toMatchObject({ about: id, kept: { value: { reason: inTheEvening } } })

    await assent.forget(bob)
    const [forgotten] = await audited(assent, 'question-answered')
    expect(forgotten).not.toHaveProperty('kept')
    expect((await assent.verifyAudit()).findings).toEqual([])
  })

  test('is cut, so that no reason is too long for the audit', async () => {
    const assent = await place()
    await asksAnd(assent, { action: 'decline', reason: `${'x'.repeat(999)}${'𝄞'.repeat(15_000)}` })
    const [answered] = await audited(assent, 'question-answered')
    expect(answered).toMatchObject({ kept: { value: { reason: `${'x'.repeat(999)}\ufffd` } } })
  })

  test('is no matter of other questions', async () => {
    const assent = await place()
    const { elicitation } = await assent.ask({
      question: {
        mode: 'form',
        message: 'Why?',
        schema: { type: 'object', properties: { reason: { type: 'string' } } },
      },
      origin: { server: 'files' },
      requester: aCall().requester,
    })
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { reason: 'private' } })
    const [answered] = await audited(assent, 'question-answered')
    expect(answered).not.toHaveProperty('kept')
  })
})
