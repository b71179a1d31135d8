import type { ParticipantId } from '../participant/participant.ts'
import type { Pseudonym } from './event.ts'
import type { AuditLog } from './log.ts'
import type { AuditStore } from './store.ts'

/** Which participant to forget, and in which audit. */
export interface Forgetting {
  store: AuditStore
  log: AuditLog
  participant: ParticipantId
}

/** Erases what was kept of a participant, and their pseudonym. Repeatable after a crash. Undefined if there is none. */
export async function forgetInAudit({ store, log, participant }: Forgetting): Promise<Pseudonym | undefined> {
  const who = await store.findPseudonym(participant)
  if (who === undefined) return undefined

  // Recorded first, so that nothing is erased without a reason on record. The pseudonym stays until all is erased.
  // It is in `about`, not in `who`: the log could give this participant another pseudonym meanwhile.
  await log.record({ kind: 'forgotten', about: who })
  await store.eraseKept(who)
  await store.deletePseudonym(participant)

  // Events that were being written under the old pseudonym are stored by now.
  await log.dropPseudonym(participant)
  await store.eraseKept(who)
  return who
}
