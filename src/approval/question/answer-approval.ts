import type { AnswerRules, CastVote } from '../../elicitation/answering/answer.ts'
import type { Answerer, Answering } from '../../elicitation/answering/answerers.ts'
import { isAnswererName, proofOf } from '../../elicitation/answering/answerers.ts'
import { askedAs, delegateField, delegates } from '../../elicitation/answering/may-answer.ts'
import { type Answer, asReason, type Elicitation, reasonField } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import { decideEdited } from '../as-approved.ts'
import type { ApprovalDesk } from '../desk.ts'
import { ruleOf } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { callDigest } from '../tool-call.ts'
import { type Choice, choicesFor, choiceText, formForAnswer, isYes, readChoice } from './choices.ts'
import { applyEdits, type Validate } from './edit.ts'
import { editsIn, editsOf, withEarlierEdits } from './page-form.ts'
import { type ApprovalSubject, approvalIn, isFirstAsked } from './subject.ts'

/** How the answer to an approval is judged; any other question is left to its form. */
export function approvalRules(desk: Pick<ApprovalDesk, 'policy' | 'validate'>): AnswerRules {
  return {
    formFor: (asked, schema, content) => (approvalIn(asked) === undefined ? schema : formForAnswer(schema, content)),
    problemsWith(asked, answering, content) {
      const about = approvalIn(asked)
      return about === undefined ? [] : problemsWith(desk, asked, about, answering, content)
    },
    voteOf(asked, answering, answer) {
      const about = approvalIn(asked)
      return about && voteFor(about, asked, answering, answer, desk.validate)
    },
    delegateOf: (asked, content) => (approvalIn(asked) === undefined ? undefined : delegateIn(content)),
  }
}

/**
 * What is wrong with an approver's answer beyond its form: a choice they were not offered, edits that the tool would not
 * take, that today's policy does not leave to them, or that a lasting choice would not keep.
 */
function problemsWith(
  desk: Pick<ApprovalDesk, 'policy' | 'validate'>,
  asked: Elicitation,
  { call, decision }: ApprovalSubject,
  answering: Answering,
  given: Content,
): readonly FieldError[] {
  const content = withEarlierEdits(asked, given)
  const choice = readChoice(content, choicesFor(call, decision, answering.participant, 'page'))
  if (choice === undefined) return [{ field: 'choice', message: 'Choose what your answer covers.' }]
  if (choice.kind === 'delegate') return delegateIn(content) === undefined ? [nobodyNamed] : []
  if (!isYes(choice)) return []
  // Who was asked later, or in somebody's place, allows what they were asked, and no more.
  if (choice.kind === 'always_allow' && !isFirstAsked(asked, decision, answering)) {
    return [{ field: 'choice', message: 'You can allow this call once only.' }]
  }
  const emptied = emptiedIn(asked, given)
  if (emptied.length > 0) return emptied
  const { edits, errors } = editsIn(content, decision.editable)
  if (errors.length > 0) return errors
  const edited = applyEdits(call, decision.editable, edits, desk.validate)
  if (edited.kind === 'unchanged') return []
  if (edited.kind === 'refused') return edited.errors.map((message) => ({ field: '', message }))
  // The same call sent again would run as it was, and not as they changed it.
  if (choice.kind !== 'allow_once') return [{ field: 'choice', message: 'What you change you can allow once only.' }]
  const anew = decideEdited(desk, edited.call, decision, giverOf(asked, answering, decision))
  return anew.kind === 'denied' ? [{ field: '', message: `With these changes: ${anew.words}` }] : []
}

function giverOf(asked: Elicitation, answering: Answering, decision: Decision) {
  const rule = ruleOf(decision)
  const { participant, via } = answering
  // Who is not among those who were asked was turned away before.
  const as = askedAs(asked, answering) as Answerer
  return { grantedBy: participant, given: { as, through: proofOf(via), rule } }
}

/** Left out, a field would stay as the approver before left it, which is not what somebody meant who emptied it. */
function emptiedIn({ voting }: Elicitation, given: Content): readonly FieldError[] {
  const filled = Object.keys(voting?.edit?.content ?? {})
  const message = 'Another approver filled this in, so it cannot be left empty. Change it, or deny the call.'
  return filled.filter((field) => !Object.hasOwn(given, field)).map((field) => ({ field, message }))
}

const nobodyNamed: FieldError = {
  field: delegateField,
  message: 'Name whom you hand it on to: subject@issuer, or group:name.',
}

/** What an answer to an approval means as a vote: for exactly which arguments, and whether it is a yes. */
function voteFor(
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
  // An answer without a choice was refused before.
  const content = withEarlierEdits(asked, given.content as Content)
  const choice = readChoice(content, choicesFor(call, decision, participant, 'page')) as Choice
  const edited = applyEdits(call, decision.editable, editsIn(content, decision.editable).edits, validate)
  const reason = asReason(content[reasonField])
  return {
    answer: { action: 'accept', content },
    vote: {
      person,
      isYes: isYes(choice),
      choice: choiceText(choice),
      digest: edited.kind === 'edited' ? edited.digest : original,
      seen: seen ?? original,
      original,
      edits: editsOf(content),
      ...(reason !== undefined && { reason }),
    },
  }
}

/** To whom an approver hands the question on; undefined: to nobody, or to nobody there could be. */
function delegateIn(content: Content): Answerer | undefined {
  const name = delegates(content) ? content[delegateField] : undefined
  return typeof name === 'string' && isAnswererName(name.trim()) ? (name.trim() as Answerer) : undefined
}
