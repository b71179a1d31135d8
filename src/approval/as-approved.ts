import type { Elicitation } from '../elicitation/elicitation.ts'
import { type Approval, refused } from './approval.ts'
import type { ApprovalDesk } from './desk.ts'
import { isStrongEnough } from './grant/covers.ts'
import type { Grant } from './grant/grant.ts'
import { decide } from './policy/decide.ts'
import type { Decision } from './policy/policy.ts'
import { applyEdits } from './question/edit.ts'
import { editsIn } from './question/page-form.ts'
import { filledIn, givenYes } from './question/subject.ts'
import { canBeKept, tooLargeToKeep } from './record.ts'
import type { ToolCall } from './tool-call.ts'

/**
 * The call as the approver let it run. What they edited is checked again by the tool's schema and by today's policy:
 * an edit must not bring a call past a rule that asks for somebody else, or denies.
 */
export function asApproved(
  desk: Pick<ApprovalDesk, 'policy' | 'validate'>,
  grant: Grant,
  asked: Elicitation,
  call: ToolCall,
  decision: Decision,
): Approval {
  const edited = applyEdits(call, decision.editable, editsIn(filledIn(asked), decision.editable).edits, desk.validate)
  const given = givenYes(asked)
  const by = { grant, ...(given && { given }) }
  if (edited.kind === 'unchanged') return { kind: 'approved', call, changes: [], decision, ...by }
  if (edited.kind === 'refused') {
    const message = `The approver changed the arguments, and the tool does not take them: ${edited.errors.join(' ')}`
    return refused('failed', 'edits-refused', message)
  }
  const anew = decideEdited(desk, edited.call, decision, grant)
  if (anew.kind === 'denied') {
    return refused('denied', 'edits-denied', `The approver changed the arguments, and then: ${anew.words}`)
  }
  return { kind: 'approved', call: edited.call, changes: edited.changes, decision: anew.decision, ...by }
}

/** Whether an edited call may run on the word of the one who edited it. */
export function decideEdited(
  { policy }: Pick<ApprovalDesk, 'policy'>,
  edited: ToolCall,
  asked: Decision,
  giver: Pick<Grant, 'grantedBy' | 'given'>,
): { readonly kind: 'may-run'; readonly decision: Decision } | { readonly kind: 'denied'; readonly words: string } {
  const anew = decide(policy(), edited)
  // Beyond its limit an allow asks, and then this is the yes.
  const isFree = anew.watched || (anew.decide === 'allow' && anew.limits === undefined)
  const mayRun = isFree || (anew.decide !== 'deny' && isStrongEnough(giver, anew))
  if (!mayRun) return { kind: 'denied', words: anew.why.words }
  // The rule that asked is the one that was answered; but either may want the arguments kept.
  const decision = { ...asked, keepArguments: asked.keepArguments || anew.keepArguments }
  return canBeKept(edited, decision) ? { kind: 'may-run', decision } : { kind: 'denied', words: tooLargeToKeep }
}
