import type { ParticipantId } from '../participant/participant.ts'
import type { Pseudonym } from './event.ts'
import type { AuditLog } from './log.ts'
import type { AuditStore } from './store.ts'

/** Who is to be forgotten, and where. */
export interface Forgetting {
  store: AuditStore
  log: AuditLog
  participant: ParticipantId
}

/** Erases what was kept of a participant, and what leads to them. Broken off, it can be done again. Undefined: nothing does. */
export async function forgetInAudit({ store, log, participant }: Forgetting): Promise<Pseudonym | undefined> {
  const who = await store.findPseudonym(participant)
  if (who === undefined) return undefined

  // Said first, so that nothing is ever erased without a reason on record; found by its name until all is erased.
  // About the pseudonym, not by it: the log itself might give this participant another one meanwhile.
  await log.record({ kind: 'forgotten', about: who })
  await store.eraseKept(who)
  await store.deletePseudonym(participant)

  // What was on its way under the old name has arrived now.
  await log.dropPseudonym(participant)
  await store.eraseKept(who)
  return who
}
