import { AssentError } from '../../base/errors.ts'
import type { Person } from '../../participant/identify.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Answer, Elicitation } from '../elicitation.ts'
import { partOf } from '../voting/voting.ts'
import type { Answerer, Answering } from './answerers.ts'
import { groupPrefix, isEnough, proofOf, type Via } from './answerers.ts'

/** Someone opened or answered a question that was put to another participant. */
export class ParticipantMismatch extends AssentError {
  readonly code = 'participant_mismatch'
  constructor(elicitation: Elicitation, opened: ParticipantId) {
    super('This question was asked of someone else.', { detail: `question ${elicitation.id}, opened by ${opened}` })
  }
}

/** The right person, but this way of answering does not count for this question. */
export class ChannelRefused extends AssentError {
  readonly code = 'channel_refused'
}

/** The names by which questions wait for this person. */
export function answererNames({ participant, groups }: Person): Answerer[] {
  return [participant, ...groups.map((group) => `${groupPrefix}${group}` as const)]
}

/** The name by which this person may decide the question now. */
export function askedAs(elicitation: Elicitation, person: Person): Answerer | undefined {
  return partOf(elicitation, person)?.as
}

/** Whether this person is one of those who were asked. */
export function isAsked(elicitation: Elicitation, person: Person): boolean {
  return askedAs(elicitation, person) !== undefined
}

/** Why this answer does not count, if it does not: checked here, once, for every channel, before anyone learns anything. */
export function answerRefusal(
  elicitation: Elicitation,
  answering: Answering,
  answer: Answer,
): ParticipantMismatch | ChannelRefused | undefined {
  if (!isAsked(elicitation, answering)) return new ParticipantMismatch(elicitation, answering.participant)
  if (answering.via === 'client') return clientRefusal(elicitation, answering, answer)
  return proofRefusal(elicitation, answering.via, answer)
}

/** A client proves only that it sent the answer: enough for its own questions, never for a secret, never for a page. */
function clientRefusal(
  elicitation: Elicitation,
  { participant, client }: Answering,
  answer: Answer,
): ChannelRefused | undefined {
  const { requester, question } = elicitation
  if (participant !== requester.participant || client !== requester.client) {
    return new ChannelRefused('This question was asked through another client.')
  }
  const refusal = proofRefusal(elicitation, 'client', answer)
  if (refusal !== undefined || answer.action !== 'accept') return refusal
  if (question.mode === 'url') return new ChannelRefused('Agreeing to open the page does not answer the question.')
  return undefined
}

/** What only a person whom we saw ourselves may do, whoever else speaks for them; a yes may need more than that. */
function proofRefusal({ purpose, answerers }: Elicitation, via: Via, answer: Answer): ChannelRefused | undefined {
  if (answer.action !== 'accept') return undefined
  const given = proofOf(via)
  const isSecret = purpose === 'secret' || purpose === 'connect'
  if (isSecret && !isEnough(given, 'page')) return new ChannelRefused('A secret is never taken from a client.')
  // A no needs no signature, nor does handing it on: whoever cannot sign can still stop the call.
  const isNo = purpose === 'approval' && (saysNo(answer.content) || delegates(answer.content))
  const least = isNo && answerers.through === 'passkey' ? 'page' : answerers.through
  if (isEnough(given, least)) return undefined
  if (least !== 'passkey') return new ChannelRefused('This question must be answered on its page.')
  return new ChannelRefused('A yes to this question must be signed with a passkey, on its page.')
}

/** Whether the content of an answer to an approval says no, for this call or for longer, before anything else in it is read. */
export function saysNo(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return false
  const { choice } = content as { choice: unknown }
  return choice === 'deny' || (typeof choice === 'string' && choice.startsWith('always_deny/'))
}

/** How a question ended, in the words of numbers and logs. */
export type AskOutcome = 'accepted' | 'declined' | 'cancelled' | 'expired' | 'failed' | 'withdrawn' | 'open'

const ofAction = { accept: 'accepted', decline: 'declined', cancel: 'cancelled' } as const

/** A no to an approval is a no, also where a client's form sent it as an accepted choice. */
export function endOf({ purpose, state }: Pick<Elicitation, 'purpose' | 'state'>): AskOutcome {
  if (state.kind !== 'answered') return state.kind
  const { answer } = state
  const isNo = purpose === 'approval' && 'content' in answer && saysNo(answer.content)
  return isNo ? 'declined' : endByAction(answer.action)
}

export function endByAction(action: 'accept' | 'decline' | 'cancel'): AskOutcome {
  return ofAction[action]
}

/** The choice of an approver who hands the question on, and the field that says to whom. */
export const delegateChoice = 'delegate'
export const delegateField = 'delegateTo'

/** Whether the content of an answer to an approval hands the question on. */
export function delegates(content: unknown): boolean {
  if (typeof content !== 'object' || content === null || !Object.hasOwn(content, 'choice')) return false
  return (content as { choice: unknown }).choice === delegateChoice
}
