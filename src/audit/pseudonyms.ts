import { randomBytes } from 'node:crypto'
import type { ParticipantId } from '../participant/participant.ts'
import type { Pseudonym } from './event.ts'
import type { AuditStore } from './store.ts'

/** A cache of the pseudonyms of participants. */
export interface Pseudonyms {
  /** `anew`: ask the store even if the pseudonym is in the cache. */
  of(participant: ParticipantId, at: Date, anew: boolean): Promise<Pseudonym> | Pseudonym
  /** The cached pseudonym, while it is fresh. */
  known(participant: ParticipantId, at: Date): Pseudonym | undefined
  drop(participant: ParticipantId): void
}

const most = 10_000
// Another process may forget a participant, and this one must notice.
const freshForMs = 60_000

/** Pseudonyms are random and made once, so that only the store links a participant to theirs. */
export function rememberPseudonyms(store: AuditStore): Pseudonyms {
  const remembered = new Map<ParticipantId, { who: Pseudonym; at: number }>()
  let latest: ParticipantId | undefined

  async function ask(participant: ParticipantId, at: number): Promise<Pseudonym> {
    const who = await store.pseudonymFor(participant, `p-${randomBytes(16).toString('base64url')}` as Pseudonym)
    remember(participant, { who, at })
    return who
  }

  // Inserted again at each use, so the first entry of the map is always the least recently used.
  function remember(participant: ParticipantId, known: { who: Pseudonym; at: number }): void {
    // Moving an entry to the end costs more than finding it, and mostly it is there.
    if (participant !== latest) remembered.delete(participant)
    remembered.set(participant, known)
    latest = participant
    if (remembered.size <= most) return
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest)
      return
    }
  }

  function known(participant: ParticipantId, at: Date): Pseudonym | undefined {
    const found = remembered.get(participant)
    if (found === undefined || Math.abs(at.getTime() - found.at) >= freshForMs) return undefined
    remember(participant, found)
    return found.who
  }

  return {
    known,
    of(participant, at, anew) {
      const who = known(participant, at)
      return who === undefined || anew ? ask(participant, at.getTime()) : who
    },
    drop: (participant) => void remembered.delete(participant),
  }
}
