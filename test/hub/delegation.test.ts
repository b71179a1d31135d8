import { expect, test } from 'vitest'
import { z } from 'zod'
import type { RuleSettings } from '../../src/approval/policy/policy-settings.ts'
import type { ParticipantOptions } from '../../src/hub/options.ts'
import { localParticipant } from '../../src/participant/participant.ts'
import { envelope, type Heard, type RawParticipant, startHub } from '../support/hub/hub.ts'

const bob = 'bob@https://login.example.com'
const participants: Record<string, ParticipantOptions> = {
  'user-1': { kind: 'human', token: 'u1', participant: localParticipant },
  'user-2': { kind: 'human', token: 'u2', participant: bob as never },
  'user-3': { kind: 'human', token: 'u3', participant: 'eve@https://login.example.com' as never },
  'agent-a': { kind: 'agent', token: 'a', for: 'user-1', may: ['*'] },
  'agent-b': { kind: 'agent', token: 'b', may: ['*'] },
}

const isQuestion = (heard: Heard) => heard.payload?.method === 'elicitation/create'
const isCall = (heard: Heard) => heard.payload?.method === 'tools/call'
const isEvent = (event: string) => (heard: Heard) => heard.payload?.event === event

const answers = (from: string, to: string, question: Heard, content: object) =>
  envelope(from, [to], { jsonrpc: '2.0', id: question.payload.id, result: { action: 'accept', content } })

/** agent-a calls `deploy` of agent-b, and the hub asks by this rule. */
async function heldByRule(rule: Partial<RuleSettings>) {
  const rules = [{ tool: 'deploy', decide: 'ask', ...rule } as RuleSettings]
  const started = await startHub({ participants, assent: { policy: { rules } } })
  const { raw, join } = started
  const [b, user1, user2, user3] = await Promise.all(['agent-b', 'user-1', 'user-2', 'user-3'].map((id) => raw(id)))
  const a = await join('agent-a')
  const called = a.call('agent-b', 'deploy', { target: 'production' })
  const agentB = b as RawParticipant
  const { payload } = await agentB.hears((heard) => heard.payload?.method === 'tools/list')
  const target = { type: 'string', enum: ['production', 'staging'] }
  const tools = [{ name: 'deploy', inputSchema: { type: 'object', properties: { target } } }]
  agentB.send(envelope('agent-b', ['assent'], { jsonrpc: '2.0', id: payload.id, result: { tools } }))
  const runs = async () => {
    const run = await agentB.hears(isCall)
    const result = { content: [{ type: 'text', text: `deployed to ${run.payload.params.arguments.target}` }] }
    agentB.send(envelope('agent-b', ['agent-a'], { jsonrpc: '2.0', id: run.payload.id, result }))
    return called
  }
  const users = { user1, user2, user3 } as Record<'user1' | 'user2' | 'user3', RawParticipant>
  return { ...started, ...users, b: agentB, called, runs }
}

test('who is asked in the space hands it on in the third form of the design, and the delegate is asked and decides', async () => {
  const { user1, user2, user3, b, runs } = await heldByRule({ delegate: true })
  const question = await user1.hears(isQuestion)
  const { properties, required } = question.payload.params.requestedSchema
  expect(properties.action).toMatchObject({
    type: 'string',
    enum: ['approve', 'deny', 'delegate'],
    enumNames: ['Approve', 'Deny', 'Delegate to another user'],
  })
  expect(properties.delegateTo).toEqual({
    type: 'string',
    title: 'Delegate to (participant ID)',
    description: "Only required if action is 'delegate'",
  })
  expect(required).toEqual(['action'])
  expect(user2.heard.some(isQuestion)).toBe(false)

  user1.send(answers('user-1', 'assent', question, { action: 'delegate', delegateTo: 'user-2' }))
  expect((await user1.hears(isEvent('delegated'))).payload.message).toBe('You handed the question on.')
  const theirs = await user2.hears(isQuestion)
  expect(b.heard.some(isCall)).toBe(false)
  user2.send(answers('user-2', 'assent', theirs, { action: 'approve', reason: 'for user-1' }))
  const { _meta } = await runs()
  expect(_meta?.['assent/approval']).toMatchObject({ approvedBy: bob, via: 'hub', reason: 'for user-1' })
  expect(user3.heard.some(isQuestion)).toBe(false)
})

test('who handed it on cannot say yes any more, and what is handed on in the inbox is asked in the space', async () => {
  const { user1, user2, b, assent, runs } = await heldByRule({ delegate: true })
  const question = await user1.hears(isQuestion)
  const inInbox = { participant: localParticipant, groups: [], via: 'inbox' } as const
  const content = { choice: 'delegate', delegateTo: bob }
  await assent.answer(question.payload.id, inInbox, { action: 'accept', content })
  const theirs = await user2.hears(isQuestion)
  await user1.hears((heard) => heard.payload?.method === 'notifications/cancelled')
  user1.send(answers('user-1', 'assent', question, { action: 'approve' }))
  expect((await user1.hears((heard) => heard.payload?.code === 'answer-refused')).payload.message).toContain(
    'someone else',
  )
  expect(b.heard.some(isCall)).toBe(false)
  user2.send(answers('user-2', 'assent', theirs, { action: 'approve' }))
  await runs()
})

test.each([
  ['an agent, by its id', { delegate: true as const }, 'agent-b'],
  ['the caller, by its id', { delegate: true as const }, 'agent-a'],
  ['an agent, by its name outside of the space', { delegate: true as const }, 'agent-b@hub:ops'],
  ['nobody', { delegate: true as const }, 'user-9'],
  ['somebody whom the rule does not name', { delegate: [bob] }, 'user-3'],
  ['somebody, where the rule lets nobody hand it on', {}, 'user-2'],
])('attack: it is not handed to %s', async (_, rule, delegateTo) => {
  const { user1, user2, user3, b, called } = await heldByRule(rule)
  const question = await user1.hears(isQuestion)
  user1.send(answers('user-1', 'assent', question, { action: 'delegate', delegateTo }))
  await user1.hears((heard) => heard.payload?.code === 'answer-refused')
  // The question is still theirs.
  user1.send(answers('user-1', 'assent', question, { action: 'deny', approve: true }))
  expect((await called)._meta?.['assent/outcome']).toMatchObject({ status: 'denied' })
  expect([user2, user3, b].some(({ heard }) => heard.some(isQuestion) || heard.some(isCall))).toBe(false)
})

test('where several must say yes, a vote counts, and a change is shown to those who have not seen it', async () => {
  const eve = participants['user-3']?.participant as string
  const { user2, user3, b, runs } = await heldByRule({ approvers: [bob, eve], quorum: 2, editable: ['target'] })
  const [first, second] = [await user2.hears(isQuestion), await user3.hears(isQuestion)]
  user2.send(answers('user-2', 'assent', first, { approve: true, edit_target: 'staging' }))
  expect((await user2.hears(isEvent('counted'))).payload.message).toContain('counts')
  const again = await user3.hears((heard) => isQuestion(heard) && heard.payload.id !== second.payload.id)
  const { approve, edit_target } = again.payload.params.requestedSchema.properties
  expect(approve.description).toContain('as an approver changed them')
  expect(edit_target.default).toBe('staging')

  // A yes to what was shown before does not count for what would run now.
  user3.send(answers('user-3', 'assent', second, { approve: true }))
  await user3.hears((heard) => heard.payload?.code === 'answer-refused')
  expect(b.heard.some(isCall)).toBe(false)
  user3.send(answers('user-3', 'assent', again, { approve: true, edit_target: 'staging' }))
  expect((await runs()).content[0]).toEqual({ type: 'text', text: 'deployed to staging' })
})

/** agent-b serves `deploy` and asks by itself. */
async function askedByAgent(rule: Partial<RuleSettings>) {
  const started = await startHub({
    participants: { ...participants, 'agent-b': { kind: 'agent', token: 'b', may: ['*'], asks: 'itself' } },
  })
  const { join, raw } = started
  const [a, b] = [await join('agent-a'), await join('agent-b')]
  const [user1, user2] = [await raw('user-1'), await raw('user-2')]
  const ran: unknown[] = []
  const deploy = {
    inputSchema: z.object({ target: z.enum(['production', 'staging']) }),
    run(args: { target: string }) {
      ran.push(args)
      return 'done'
    },
  }
  const rules = [{ tool: 'deploy', decide: 'ask', approvers: 'user-1', ...rule } as RuleSettings]
  await b.serveTools({ deploy } as never, { policy: { rules } })
  return { ...started, a, user1, user2, ran, called: a.call('agent-b', 'deploy', { target: 'production' }) }
}

test('an agent that asks by itself asks the one to whom its question is handed on', async () => {
  const { user1, user2, ran, called } = await askedByAgent({ delegate: 'user-2' })
  const question = await user1.hears(isQuestion)
  user1.send(answers('user-1', 'agent-b', question, { action: 'delegate', delegateTo: 'user-2' }))
  const theirs = await user2.hears(isQuestion)
  expect(ran).toEqual([])
  user2.send(answers('user-2', 'agent-b', theirs, { action: 'approve' }))
  expect((await called)._meta?.['assent/approval']).toMatchObject({ approvedBy: 'user-2@hub:ops' })
  expect(ran).toEqual([{ target: 'production' }])
})

test('an answer that does not fit is asked for again, with what was wrong', async () => {
  const { user1, ran, called } = await askedByAgent({ delegate: 'user-2' })
  const question = await user1.hears(isQuestion)
  user1.send(answers('user-1', 'agent-b', question, { action: 'delegate', delegateTo: 'agent-a' }))
  const again = await user1.hears((heard) => isQuestion(heard) && heard.payload.id !== question.payload.id)
  expect(again.payload.params.message).toContain('Your answer did not fit')
  user1.send(answers('user-1', 'agent-b', again, { action: 'deny' }))
  expect((await called)._meta?.['assent/outcome']).toMatchObject({ status: 'denied' })
  expect(ran).toEqual([])
})

test('attack: the caller is not asked about its own call, even where the rule of an agent names it', async () => {
  const { a, called, ran } = await askedByAgent({ approvers: 'agent-a' })
  const asked: unknown[] = []
  a.onElicitation((one) => {
    asked.push(one)
    return { action: 'accept', content: { approve: true } }
  })
  expect((await called)._meta?.['assent/outcome']).toMatchObject({ status: 'failed' })
  expect([asked, ran]).toEqual([[], []])
})
