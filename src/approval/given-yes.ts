import type { Via } from '../elicitation/answering/answerers.ts'
import { approverReason } from '../elicitation/answering/reason.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import type { ParticipantId } from '../participant/participant.ts'

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
