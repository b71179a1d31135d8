import type { CastVote } from '../../elicitation/answering/answer.ts'
import type { Answerer, Answering } from '../../elicitation/answering/answerers.ts'
import { isAnswererName } from '../../elicitation/answering/names.ts'
import { delegateField, delegates } from '../../elicitation/answering/says-no.ts'
import { type Answer, asReason, type Elicitation, reasonField } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'
import { callDigest } from '../tool-call.ts'
import { choicesFor, choiceText, isYes, readChoice } from './choices.ts'
import { applyEdits, type Validate } from './edit.ts'
import { editsOf, withEarlierEdits } from './edited-before.ts'
import { editsIn } from './page-form.ts'
import type { ApprovalSubject } from './subject.ts'

/** What an answer to an approval means as a vote: for exactly which arguments, and whether it is a yes. */
export function voteFor(
  { call, decision }: ApprovalSubject,
  asked: Elicitation,
  answering: Answering,
  given: Answer,
  validate: Validate,
): CastVote | undefined {
  if (given.action === 'cancel') return undefined
  const { participant, groups, seen } = answering
  const original = callDigest(call)
  const person = { participant, groups }
  if (given.action === 'decline') {
    const reason = asReason(given.reason)
    const vote = { person, isYes: false, choice: 'deny', digest: original, seen: original, original, edits: {} }
    return { answer: given, vote: { ...vote, ...(reason !== undefined && { reason }) } }
  }
  const content = withEarlierEdits(asked, given.content ?? {})
  const choice = readChoice(content, choicesFor(call, decision, participant, 'page'))
  const edited = applyEdits(call, decision.editable, editsIn(content, decision.editable).edits, validate)
  const reason = asReason(content[reasonField])
  return {
    answer: { action: 'accept', content },
    vote: {
      person,
      isYes: choice !== undefined && isYes(choice),
      choice: choice === undefined ? 'deny' : choiceText(choice),
      digest: edited.kind === 'edited' ? edited.digest : original,
      seen: seen ?? original,
      original,
      edits: editsOf(content),
      ...(reason !== undefined && { reason }),
    },
  }
}

/** To whom an approver hands the question on; undefined: to nobody, or to nobody there could be. */
export function delegateIn(content: Content): Answerer | undefined {
  const name = delegates(content) ? content[delegateField] : undefined
  return typeof name === 'string' && isAnswererName(name.trim()) ? (name.trim() as Answerer) : undefined
}
