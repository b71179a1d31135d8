import { type Requester, requesterKey } from '../participant/requester.ts'
import { ParticipantMismatch } from './answering/answerers.ts'
import type { Desk } from './desk.ts'
import type { Elicitation, ElicitationId } from './elicitation.ts'
import { read, saveEvent } from './settle.ts'

/** Takes a question back on behalf of the requester whose question it is. What was settled before stays as it is. */
export async function withdraw(desk: Desk, id: ElicitationId, by: Requester, reason: string): Promise<Elicitation> {
  const kept = await read(desk, id)
  if (requesterKey(kept.requester) !== requesterKey(by)) throw new ParticipantMismatch(kept, by.participant)
  return saveEvent(desk, kept, { kind: 'withdrawn', reason: inShort(reason), at: desk.clock.now() })
}

/** Takes a question back because it no longer stands, such as when the rule that asked it is gone. */
export async function withdrawAsObsolete(desk: Desk, id: ElicitationId, reason: string): Promise<Elicitation> {
  return saveEvent(desk, await read(desk, id), { kind: 'withdrawn', reason: inShort(reason), at: desk.clock.now() })
}

/** Ends a question that cannot be answered any more, with a reason a person may read. */
export async function fail(desk: Desk, id: ElicitationId, reason: string): Promise<Elicitation> {
  return saveEvent(desk, await read(desk, id), { kind: 'failed', reason: inShort(reason), at: desk.clock.now() })
}

/** A reason may come from a stranger: a client that cancels, a provider that fails. */
function inShort(reason: string): string {
  return reason.toWellFormed().slice(0, 1_000)
}
