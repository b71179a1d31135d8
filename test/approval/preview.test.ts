import { expect, test } from 'vitest'
import { type CallPreview, previewNote } from '../../src/approval/question/preview.ts'
import { approvalIn } from '../../src/approval/question/subject.ts'
import { walk } from '../../src/call/walk.ts'
import type { Assent, ElicitationId } from '../../src/index.ts'
import { aCall, alice } from '../support/approval/a-call.ts'
import { say } from '../support/approval/approving.ts'
import { asking, transfer, vote } from '../support/approval/voting.ts'
import { onPage } from '../support/asks.ts'
import { anAssent, getExisting } from '../support/assents.ts'

const policy = { rules: [{ decide: 'ask', preview: 'show' }] } as const

/** Runs a call of one walk, whose preview shows what `shown` gives. Entered again, the walk brings its question. */
function aWalk({ approvals }: Assent, shown: () => Awaited<ReturnType<CallPreview>>) {
  const sent: unknown[] = []
  const send = async () => {
    sent.push(1)
    return { result: 'ran', outcome: 'done' as const }
  }
  const enter = async (question?: ElicitationId) => {
    const approving = { call: aCall(), walkId: 'w', preview: async () => shown(), ...(question && { question }) }
    const end = await walk<string, undefined, never>({ approvals, send, finish: 'now' }, approving)
    return end.kind === 'question' ? end.elicitation : end
  }
  return { sent, enter }
}

test('an open question whose preview changed is taken back, and the new one is asked', async () => {
  const assent = await anAssent({ policy })
  let text = 'three files'
  const { sent, enter } = aWalk(assent, () => ({ text, leftOut: 0, digest: text }))
  const first = await enter()
  if (!('id' in first)) throw new Error('It was to be asked about.')
  // As long as the server shows the same, it is the same question.
  expect(await enter(first.id)).toMatchObject({ id: first.id })

  text = 'all files'
  const second = await enter(first.id)
  if (!('id' in second)) throw new Error('It was to be asked about again.')
  expect(second.id).not.toBe(first.id)
  expect((await getExisting(assent, first.id)).state).toMatchObject({ kind: 'withdrawn', reason: 'preview-changed' })
  expect(sent).toEqual([])
  await say(assent, second, { choice: 'allow_once' }, onPage(alice))
  expect(await enter(second.id)).toMatchObject({ kind: 'done' })
  expect(sent).toHaveLength(1)
})

test('a preview that fails in other words each time is the same question', async () => {
  const assent = await anAssent({ policy })
  let problem = 'It took longer than 5 seconds.'
  const { enter } = aWalk(assent, () => ({ problem }))
  const first = await enter()
  if (!('id' in first)) throw new Error('It was to be asked about.')
  problem = 'There is no tool show now.'
  expect(await enter(first.id)).toMatchObject({ id: first.id })
})

test.each([
  ['nothing, where nothing can be changed', undefined, undefined, undefined],
  ['that a change is not part of it', ['amount'], undefined, 'says nothing of what you change'],
  ['that it was made before a change', ['amount'], 900, 'before its arguments were changed'],
] as const)('whoever is asked is told of the preview %s', async (_, editable, amount, words) => {
  const assent = await anAssent({
    policy: asking({ preview: 'show', ...(editable && { editable }), approvers: ['group:finance'], quorum: 2 }),
  })
  const preview = async () => ({ text: '100 to Acme', leftOut: 0, digest: '100 to Acme' })
  const approval = await assent.approvals.approve({ call: transfer(100), walkId: 'w', preview })
  if (approval.kind !== 'question') throw new Error('It was to be asked about.')
  if (amount !== undefined) await vote(assent, approval.elicitation, 'dave', { edit_amount: amount })
  const asked = await getExisting(assent, approval.elicitation.id)
  const note = previewNote(asked, (approvalIn(asked) as NonNullable<ReturnType<typeof approvalIn>>).decision)
  if (words === undefined) expect(note).toBeUndefined()
  else expect(note).toContain(words)
})
