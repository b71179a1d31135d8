import { randomBytes } from 'node:crypto'
import type { ParticipantId } from '../participant/participant.ts'
import type { Pseudonym } from './event.ts'
import type { AuditStore } from './store.ts'

/** Remembers, for a while, which pseudonym stands for whom. */
export interface Pseudonyms {
  /** `anew`: the store is asked even if the answer is remembered. */
  of(participant: ParticipantId, at: Date, anew: boolean): Promise<Pseudonym> | Pseudonym
  drop(participant: ParticipantId): void
}

const most = 10_000
// Another process may forget someone, and this one must notice.
const freshForMs = 60_000

/** Pseudonyms are random and made once: nothing but the store leads from a participant to theirs. */
export function rememberPseudonyms(store: AuditStore): Pseudonyms {
  const remembered = new Map<ParticipantId, { who: Pseudonym; at: number }>()

  async function ask(participant: ParticipantId, at: number): Promise<Pseudonym> {
    const who = await store.pseudonymFor(participant, `p-${randomBytes(16).toString('base64url')}` as Pseudonym)
    remember(participant, { who, at })
    return who
  }

  // Inserted anew at each use, the first of the map is always the one not used for longest.
  function remember(participant: ParticipantId, known: { who: Pseudonym; at: number }): void {
    remembered.delete(participant)
    remembered.set(participant, known)
    if (remembered.size <= most) return
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      return
    }
  }

  return {
    of(participant, at, anew) {
      const known = remembered.get(participant)
      const isFresh = known !== undefined && Math.abs(at.getTime() - known.at) < freshForMs
      if (!isFresh || anew) return ask(participant, at.getTime())
      remember(participant, known)
      return known.who
    },
    drop: (participant) => void remembered.delete(participant),
  }
}
