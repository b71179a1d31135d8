import { expect, test } from 'vitest'
import type { Decision } from '../../src/approval/policy/policy.ts'
import type { PolicySettings } from '../../src/approval/policy/policy-settings.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { anUpstream, asks, asksAnd } from '../support/approval/approving.ts'
import { anAsk } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'
import { readPolicy } from '../support/policies.ts'

const before: PolicySettings = {
  rules: [
    { tool: 'stays', decide: 'ask', reason: 'As ever.' },
    { tool: 'changes', decide: 'ask' },
    { tool: 'allowed', decide: 'ask', reason: 'Once.' },
    { tool: 'denied', decide: 'ask', reason: 'Once.' },
  ],
}
const after: PolicySettings = {
  rules: [
    { tool: 'allowed', decide: 'allow' },
    { tool: 'denied', decide: 'deny' },
    { tool: 'changes', decide: 'ask', answer: 'page' },
    // In another place, and the same.
    { tool: 'stays', decide: 'ask', reason: 'As ever.' },
  ],
}

const byHandler: Decision = {
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

test.each(everyAssent)(
  'a policy read anew takes back exactly what it would not ask ($name)',
  async ({ assent: fresh }) => {
    const assent = await fresh({ policy: before })
    const { approvals } = assent
    const ask = (tool: string) => asks(assent, aCall({ tool }))
    const [stays, changes, allowed, denied, byDefault] = [
      await ask('stays'),
      await ask('changes'),
      await ask('allowed'),
      await ask('denied'),
      await ask('unnamed'),
    ]
    const handler = await approvals.approve({ call: aCall({ tool: 'denied' }), walkId: 'w', decision: byHandler })
    if (handler.kind !== 'question') throw new Error('It asks.')
    const plain = (await assent.ask(anAsk())).elicitation
    const answered = await asksAnd(assent, { choice: 'allow_once' }, aCall({ tool: 'denied', arguments: {} }))

    expect(await approvals.usePolicy(readPolicy(after))).toBe(3)
    expect(approvals.policy.rules).toHaveLength(4)
    for (const { id } of [changes, allowed, denied]) {
      expect((await assent.get(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'policy-changed' })
    }
    for (const { id } of [stays, byDefault, handler.elicitation, plain]) {
      expect((await assent.get(id))?.state.kind).toBe('open')
    }
    expect((await assent.get(answered.id))?.state.kind).toBe('answered')

    // Whoever waited is decided about anew.
    const upstream = anUpstream(assent)
    const again = (tool: string, { id }: typeof stays) => upstream.run(aCall({ tool }), 'walk-1', id)
    expect(await again('stays', stays)).toMatchObject({ kind: 'question', elicitation: { id: stays.id } })
    const anew = await again('changes', changes)
    expect(anew).toMatchObject({ kind: 'question', decision: { answer: 'page' } })
    expect(anew).not.toMatchObject({ elicitation: { id: changes.id } })
    expect((await again('allowed', allowed)).kind).toBe('done')
    expect(await again('denied', denied)).toMatchObject({ kind: 'refused', reason: 'policy' })
  },
)

test('a policy that only watches asks nothing, and so takes all of it back', async () => {
  const assent = await anAssent({ policy: before })
  const { id } = await asks(assent, aCall({ tool: 'stays' }))
  expect(await assent.approvals.usePolicy(readPolicy({ ...before, mode: 'watch' }))).toBe(1)
  expect((await anUpstream(assent).run(aCall({ tool: 'stays' }), 'walk-1', id)).kind).toBe('done')
})

test('the same policy read again takes back nothing', async () => {
  const assent = await anAssent({ policy: before })
  await asks(assent, aCall({ tool: 'changes' }))
  expect(await assent.approvals.usePolicy(readPolicy(before))).toBe(0)
})
