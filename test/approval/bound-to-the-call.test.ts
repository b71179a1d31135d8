import { expect, test } from 'vitest'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import type { Elicitation } from '../../src/elicitation/elicitation.ts'
import type { Assent } from '../../src/index.ts'
import { aCall, alice, bob } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd } from '../support/approval/approving.ts'
import { anAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const policy: PolicySettings = { rules: [{ tool: 'never_*', decide: 'deny' }] }

const changes: [string, Partial<ToolCall>][] = [
  ['an argument', { arguments: { path: '/etc/passwd', content: 'hello' } }],
  ['an argument more', { arguments: { ...aCall().arguments, mode: 'a' } }],
  ['the type of an argument', { arguments: { path: '/tmp/notes.txt', content: ['hello'] } }],
  ['the tool', { tool: 'delete_file' }],
  ['the server', { server: 'other' }],
  ["the requester's client", { requester: { participant: alice, client: 'cursor' } }],
  ["the requester's participant", { requester: { participant: bob, client: 'claude-code' } }],
  ['the agents behind the client', { requester: { participant: alice, client: 'claude-code', agents: ['sub'] } }],
  ['the definition', { definition: 'definition-2' }],
]

test.each(changes)('trap 10, attack: approve A, then send it with %s changed: it does not run', async (_, changed) => {
  const assent = await anAssent({ policy })
  const upstream = anUpstream(assent)
  const yes = await asksAnd(assent)
  const other = aCall(changed)
  // With the walk and the question of the yes, and without.
  const outcomes = [await upstream.run(other, 'walk-1', yes.id), await upstream.run(other, 'walk-2')]
  for (const outcome of outcomes) expect(outcome.kind).toBe('question')
  expect(upstream.sent).toEqual([])
  // And the yes is still there for what it was given for.
  expect((await upstream.run(aCall(), 'walk-1', yes.id)).kind).toBe('done')
  expect(upstream.sent).toEqual([aCall()])
})

async function withOtherRule(assent: Assent): Promise<void> {
  await assent.approvals.usePolicy(readPolicy({ rules: [{ tool: 'write_*', decide: 'ask', reason: 'Be careful.' }] }))
}

test('attack: approve A by one rule, then another rule asks: the old yes runs nothing', async () => {
  const assent = await anAssent({ policy })
  const upstream = anUpstream(assent)
  const yes = await asksAnd(assent)
  await withOtherRule(assent)
  expect((await upstream.run(aCall(), 'walk-1', yes.id)).kind).toBe('question')
  expect((await upstream.run(aCall(), 'walk-2')).kind).toBe('question')
  expect(upstream.sent).toEqual([])
})

test('attack: the question of one call is not shown as that of another', async () => {
  const assent = await anAssent({ policy })
  const mine = await asks(assent)
  const other = await asks(assent, aCall({ arguments: {} }), 'walk-1', mine.id)
  expect(other.id).not.toBe(mine.id)
  expect((await asks(assent, aCall(), 'walk-1', mine.id)).id).toBe(mine.id)
  // Nor one that is no approval at all.
  const plain: Elicitation = (
    await assent.ask({
      question: { mode: 'form', message: 'Which?', schema: { type: 'object', properties: {} } },
      origin: { server: 'files' },
      requester: aCall().requester,
    })
  ).elicitation
  expect((await asks(assent, aCall(), 'walk-1', plain.id)).id).toBe(mine.id)
})
