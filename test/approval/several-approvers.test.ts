import { expect, test } from 'vitest'
import { isFullYes } from '../../src/approval/grant/keep-grant.ts'
import { decide } from '../../src/approval/policy/decide.ts'
import { choiceForm, formForClient } from '../../src/approval/question/choice-form.ts'
import { choicesFor, choiceTitle } from '../../src/approval/question/choices.ts'
import { callNow, formNow, seenNow, shownNow } from '../../src/approval/question/page-form.ts'
import { approvalIn, givenYes } from '../../src/approval/question/subject.ts'
import { whatIsSigned } from '../../src/elicitation/answering/signed-answer.ts'
import type { FormSchema } from '../../src/elicitation/form/schema.ts'
import { hasTakenPart } from '../../src/elicitation/voting/voting.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { anElicitation, answered } from '../../src/testing/index.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { asks, audited } from '../support/approval/approving.ts'
import { asking, handOn, person, transfer, vote } from '../support/approval/voting.ts'
import { anAssent, getExisting } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const two = { approvers: ['group:finance'], quorum: 2 }

test('after an edit everybody is shown what would run now, and signs that', async () => {
  const assent = await anAssent({ policy: asking({ ...two, editable: ['amount'] }) })
  const asked = await asks(assent, transfer(100))
  const about = approvalIn(asked) as NonNullable<ReturnType<typeof approvalIn>>
  expect(callNow(asked, about).arguments).toEqual({ amount: 100, to: 'Acme' })
  expect(formNow(asked, asked.question.schema as FormSchema)).toBe(asked.question.schema)

  await vote(assent, asked, 'erin', { edit_amount: 500, reason: 'less is enough' })
  const now = await getExisting(assent, asked.id)
  expect(callNow(now, about).arguments).toEqual({ amount: 500, to: 'Acme' })
  expect(formNow(now, now.question.schema as FormSchema).properties.edit_amount).toMatchObject({ default: 500 })
  expect(shownNow(now)).not.toBe(shownNow(asked))
  expect(whatIsSigned(now, { action: 'accept' })).not.toEqual(whatIsSigned(asked, { action: 'accept' }))
  expect([seenNow(asked), seenNow(now)]).toEqual([{}, { seen: now.voting?.edit?.digest }])
  expect(await audited(assent, 'vote-cast')).toHaveLength(1)

  // A tool without a schema, and an edit that changes nothing.
  const { inputSchema: _, ...plain } = about.call
  expect(callNow(now, { ...about, call: plain }).arguments).toEqual({ amount: 500, to: 'Acme' })
  const voting = { ...now.voting, edit: { ...now.voting?.edit, content: {} } } as never
  expect(callNow({ ...now, voting }, about)).toBe(about.call)
})

test('it is handed only to people of whom the groups that they had last let it', async () => {
  const assent = await anAssent({ policy: asking({ ...two, delegate: ['group:leads'] }) })
  const known = (name: string, groups: readonly string[]) =>
    assent.store.browsers.add({
      id: name,
      key: name,
      participant: person(name),
      groups,
      by: 'login',
      name: 'Firefox',
      createdAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
    } as never)
  await known('frank', ['leads'])
  await known('grace', ['interns'])
  const asked = await asks(assent, transfer(100))
  expect(JSON.stringify(await handOn(assent, asked, 'dave', person('grace')))).toContain('does not let')
  expect(await handOn(assent, asked, 'dave', person('frank'))).toMatchObject({ kind: 'delegated' })
})

test('one of several who leaves, or who names nobody to hand it to, says nothing for the others', async () => {
  const assent = await anAssent({ policy: asking({ ...two, delegate: true }) })
  const asked = await asks(assent, transfer(100))
  const dave = { participant: person('dave'), groups: ['finance'], via: 'page' } as const
  expect(await assent.answer(asked.id, dave, { action: 'cancel' })).toMatchObject({ kind: 'invalid' })
  const nobody = { action: 'accept', content: { choice: 'delegate', delegateTo: 'nobody in particular' } } as const
  expect(await assent.answer(asked.id, dave, nobody)).toMatchObject({ kind: 'invalid' })
  expect((await getExisting(assent, asked.id)).state.kind).toBe('open')
  expect(await assent.answer(asked.id, dave, { action: 'decline', reason: 'never' })).toMatchObject({ kind: 'kept' })
  expect((await getExisting(assent, asked.id)).voting?.votes).toMatchObject([{ choice: 'deny', reason: 'never' }])
})

test('a quorum that its requester would have to complete is not asked for', async () => {
  const named = (...names: string[]) => asking({ approvers: names.map(person), quorum: 2 })
  const without = await anAssent({ policy: named('carol', 'dave') })
  await expect(asks(without, transfer(100))).rejects.toThrow('It needs 2 approvers besides the requester')
  const withAgent = await anAssent({ policy: named('agent', 'dave') })
  await expect(asks(withAgent, transfer(100, [person('agent')]))).rejects.toThrow('the rule names 1.')
  const later = { approvers: [person('dave')], quorum: 2, escalate: [{ after: '1m', to: [person('erin')] }] }
  expect((await asks(await anAssent({ policy: asking(later) }), transfer(100))).state.kind).toBe('open')
  const enough = await anAssent({ policy: named('carol', 'dave', 'erin') })
  expect((await asks(enough, transfer(100))).state.kind).toBe('open')
})

test('handing it on while it is settled, or while the same person votes, changes nothing', async () => {
  const assent = await anAssent({ policy: asking({ ...two, delegate: true, priority: 'high' }) })
  const { elicitations } = assent.store
  const { saveIfUnchanged } = elicitations
  const meanwhile = (deed: () => Promise<unknown>) => {
    elicitations.saveIfUnchanged = async (next) => {
      elicitations.saveIfUnchanged = saveIfUnchanged
      await deed()
      return saveIfUnchanged(next)
    }
  }
  const first = await asks(assent, transfer(1))
  expect(first.priority).toBe('high')
  meanwhile(() => vote(assent, first, 'erin', 'deny'))
  expect(await handOn(assent, first, 'dave', person('frank'))).toMatchObject({ kind: 'late' })

  const second = await asks(assent, transfer(2), 'walk-2')
  meanwhile(() => vote(assent, second, 'dave'))
  const changed = await handOn(assent, second, 'dave', person('frank'))
  expect(JSON.stringify(changed)).toContain('The question changed meanwhile')
})

test('more questions than one page are escalated when their time comes', async () => {
  const clock = fixedClock()
  const assent = await anAssent({
    policy: asking({ approvers: ['group:finance'], escalate: [{ after: '1m', to: ['group:leads'] }] }),
    clock,
    limits: { openPerRequester: 600, openPerParticipant: 600 },
  })
  const asked = []
  for (let n = 0; n < 501; n += 1) asked.push(await asks(assent, transfer(n), `walk-${n}`))
  clock.advance(61_000)
  await assent.tidy()
  const now = await Promise.all(asked.map(({ id }) => getExisting(assent, id)))
  expect(now.filter(({ voting }) => voting?.escalations.length === 1)).toHaveLength(501)
})

test('who voted, or handed it on, may still see the question', async () => {
  const assent = await anAssent({ policy: asking({ ...two, delegate: true }) })
  const asked = await asks(assent, transfer(100))
  const left = (name: string) => ({ participant: person(name), groups: [] })
  await vote(assent, asked, 'dave')
  await handOn(assent, asked, 'erin', person('frank'))
  const now = await getExisting(assent, asked.id)
  expect(['dave', 'erin', 'frank', 'grace'].map((name) => hasTakenPart(now, left(name)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  expect(hasTakenPart(asked, left('dave'))).toBe(false)
})

test('a yes is judged by its own way where one person decides, and by all votes where several do', () => {
  const anyOf = [alice] as const
  const once = (quorum?: number) =>
    answered(
      anElicitation({
        purpose: 'approval',
        answerers: { anyOf, through: 'passkey', ...(quorum !== undefined && { quorum }) },
      }),
    )
  expect(isFullYes(once())).toBe(false)
  expect(isFullYes(once(1))).toBe(false)
  expect(isFullYes(once(2))).toBe(false)
  expect(isFullYes(anElicitation({ purpose: 'approval' }))).toBe(false)
  expect(givenYes(anElicitation({ purpose: 'approval' }))).toBeUndefined()
})

test('a client is offered to hand it on where the rule lets it, and no form where several decide', () => {
  const call = aCall({ requester: { participant: alice, client: 'abc' } })
  const formFor = (rule: object) => {
    const decision = decide(
      readPolicy({ rules: [{ decide: 'ask', approvers: [alice, person('bob')], ...rule }] }),
      call,
    )
    return choiceForm(call, decision, choicesFor(call, decision, alice, 'form'))
  }
  expect(choiceTitle({ kind: 'delegate' } as never)).toBe('Hand it on')
  expect(JSON.stringify(formFor({ delegate: true }))).toContain('Hand it on')
  expect(JSON.stringify(formFor({}))).not.toContain('Hand it on')
  expect(formFor({ approvers: [alice, person('bob'), person('eve')], quorum: 2 })).toBeUndefined()
  const edits = decide(readPolicy({ rules: [{ decide: 'ask', editable: ['path'] }] }), call)
  const fields = (choiceOnly: boolean) =>
    Object.keys(formForClient(call, edits, undefined, { choiceOnly })?.schema.properties ?? {})
  expect(fields(true)).toEqual(['choice'])
  expect(fields(false)).toEqual(['choice', 'edit_path'])
})

test('a server cannot talk its way to a rule that lets it be handed on, or run unasked', () => {
  const call = aCall({ annotations: { destructiveHint: true }, trusted: false })
  const said = { annotations: { destructiveHint: true }, decide: 'ask' }
  const handed = [
    { ...said, delegate: true, approvers: ['group:a'] },
    { decide: 'ask', approvers: ['group:a'], priority: 'urgent' },
  ]
  expect(decide(readPolicy({ rules: handed }), call)).toMatchObject({ why: { rule: 2 }, priority: 'urgent' })
  const widened = [
    { ...said, approvers: ['group:a'], escalate: [{ after: '1m', to: 'group:everybody' }] },
    { decide: 'ask', approvers: ['group:a'] },
  ]
  expect(decide(readPolicy({ rules: widened }), call)).toMatchObject({ why: { rule: 2 } })
  const unasked = [said, { decide: 'ask', fallback: 'allow' }]
  expect(decide(readPolicy({ rules: unasked }), call)).toMatchObject({ why: { rule: 1 }, fallback: 'inbox' })
})
