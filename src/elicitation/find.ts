import type { ParticipantId } from '../participant/participant.ts'
import type { Desk } from './desk.ts'
import type { ElicitationId } from './elicitation.ts'
import { type ElicitationResult, resultOf } from './result.ts'

/** The latest answer of this participant to a question of this type, also while a newer question is open. */
export async function find(
  desk: Desk,
  participant: ParticipantId,
  type: string,
): Promise<ElicitationResult | undefined> {
  const latest = await desk.store.latestAnswered(participant, type)
  return latest && resultOf(desk, latest)
}

/** The result of a participant's own question. Another's looks like one that never was. */
export async function getResult(
  desk: Desk,
  participant: ParticipantId,
  id: ElicitationId,
): Promise<ElicitationResult | undefined> {
  const kept = await desk.store.get(id)
  return kept?.requester.participant === participant ? resultOf(desk, kept) : undefined
}
