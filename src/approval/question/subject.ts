import type { JsonObject } from '../../base/json.ts'
import type { Answerer, Via } from '../../elicitation/answering/answerers.ts'
import { askedAs } from '../../elicitation/answering/may-answer.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import { approverReason } from '../../elicitation/elicitation.ts'
import type { Content } from '../../elicitation/form/schema.ts'
import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'

/** What an approval is about: the call it would let run, and the decision that asked. */
export interface ApprovalSubject {
  readonly call: ToolCall
  readonly decision: Decision
}

/** As it is kept with the question. */
export function subjectOf({ call, decision }: ApprovalSubject): JsonObject {
  return JSON.parse(JSON.stringify({ call, decision }))
}

/** What a kept approval is about; undefined for any other question. */
export function approvalIn({ purpose, subject }: Elicitation): ApprovalSubject | undefined {
  return purpose === 'approval' && subject !== undefined ? (subject as unknown as ApprovalSubject) : undefined
}

/** What an approver filled in; nothing, where they did not accept. */
export function filledIn({ state }: Elicitation): Content {
  return (state.kind === 'answered' && 'content' in state.answer && state.answer.content) || {}
}

/** A person's yes to one call: whose it is, when and by which way it was given, and their reason. */
export interface GivenYes {
  readonly by: ParticipantId
  readonly at: Date
  readonly via: Via
  readonly reason?: string
}

/** Who said yes to this approval, when, by which way and why; undefined while nobody has answered it. */
export function givenYes(asked: Elicitation): GivenYes | undefined {
  if (asked.state.kind !== 'answered') return undefined
  const { by, at } = asked.state
  const reason = approverReason(asked)
  return { by: by.participant, at, via: by.via, ...(reason !== undefined && { reason }) }
}

/** Whether this person is an approver by the rule itself, not by an escalation or a delegation. */
export function isFirstAsked(asked: Elicitation, { approvers }: Decision, person: Person): boolean {
  return approvers.includes(askedAs(asked, person) as Answerer)
}
