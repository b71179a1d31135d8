import type { AnswerRules } from '../../elicitation/answering/answer.ts'
import type { Answerer, Answering } from '../../elicitation/answering/answerers.ts'
import { askedAs } from '../../elicitation/answering/may-answer.ts'
import { proofOf } from '../../elicitation/answering/proof.ts'
import { delegateField } from '../../elicitation/answering/says-no.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import type { Person } from '../../participant/identify.ts'
import { decideEdited } from '../as-approved.ts'
import type { ApprovalDesk } from '../desk.ts'
import type { Decision } from '../policy/policy.ts'
import { choicesFor, formForAnswer, isYes, readChoice } from './choices.ts'
import { applyEdits } from './edit.ts'
import { withEarlierEdits } from './edited-before.ts'
import { editsIn } from './page-form.ts'
import { type ApprovalSubject, approvalIn } from './subject.ts'
import { delegateIn, voteFor } from './vote.ts'

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

function giverOf(asked: Elicitation, answering: Answering, { ruleDigest: rule }: Decision) {
  const { participant, via } = answering
  // Who is not among those who were asked was turned away before.
  const as = askedAs(asked, answering) as Answerer
  return { grantedBy: participant, given: { as, through: proofOf(via), rule } }
}

/** Whether this person is an approver by the rule itself, not by an escalation or a delegation. */
export function isFirstAsked(asked: Elicitation, { approvers }: Decision, person: Person): boolean {
  return approvers.includes(askedAs(asked, person) as Answerer)
}

const nobodyNamed: FieldError = {
  field: delegateField,
  message: 'Name whom you hand it on to: subject@issuer, or group:name.',
}
