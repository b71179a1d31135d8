import { type Requester, requesterKey } from '../participant/requester.ts'
import { ParticipantMismatch } from './answering/may-answer.ts'
import type { Desk } from './desk.ts'
import type { Elicitation, ElicitationEvent, ElicitationId } from './elicitation.ts'
import { mustExist } from './errors.ts'
import { saveEvent } from './settle.ts'

/** Takes a question back on behalf of the requester whose question it is. What was settled before stays as it is. */
export async function withdraw(desk: Desk, id: ElicitationId, by: Requester, reason: string): Promise<Elicitation> {
  const kept = mustExist(await desk.store.get(id), id)
  if (requesterKey(kept.requester) !== requesterKey(by)) throw new ParticipantMismatch(kept, by.participant)
  return end(desk, id, 'withdrawn', reason)
}

/** Takes a question back because it no longer stands, such as when the rule that asked it is gone. */
export async function withdrawAsObsolete(desk: Desk, id: ElicitationId, reason: string): Promise<Elicitation> {
  return end(desk, id, 'withdrawn', reason)
}

/** Ends a question that cannot be answered any more, with a reason a person may read. */
export async function fail(desk: Desk, id: ElicitationId, reason: string): Promise<Elicitation> {
  return end(desk, id, 'failed', reason)
}

async function end(desk: Desk, id: ElicitationId, kind: 'withdrawn' | 'failed', reason: string): Promise<Elicitation> {
  const event: ElicitationEvent = { kind, reason: inShort(reason), at: desk.clock.now() }
  return mustExist(await saveEvent(desk, mustExist(await desk.store.get(id), id), event), id)
}

/** A reason may come from a stranger: a client that cancels, a provider that fails. */
function inShort(reason: string): string {
  return reason.toWellFormed().slice(0, 1_000)
}
