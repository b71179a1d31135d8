import type { Sealed } from '../base/seal.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Anchor, AuditEvent, ChainId, Head, Pseudonym } from './event.ts'

/** Keeps the audit. Events are only ever added, and deleted from the front of a chain. */
export interface AuditStore {
  /** All or none, in order. Throws when one of them is there already. */
  append(events: readonly AuditEvent[]): Promise<void>
  /** In the order of `seq`. */
  read(chain: ChainId, afterSeq: number, limit: number): Promise<AuditEvent[]>
  /** The last event of each chain that has events, the most recently written chain first. */
  heads(limit: number): Promise<Head[]>
  /** Every chain that has an event or an anchor, oldest first. */
  chains(): Promise<{ readonly chain: ChainId; readonly anchor?: Anchor }[]>
  /** The last of the events at the front of a chain that were all written before `moment`. */
  lastBefore(chain: ChainId, moment: Date): Promise<AuditEvent | undefined>
  /**
   * Deletes the events of the chain up to the anchor and keeps the anchor, both or neither. Returns how many. Two may
   * prune at once: an anchor behind the kept one changes nothing.
   */
  prune(anchor: Anchor): Promise<number>

  /** The participant's pseudonym: `candidate`, if they had none. Whoever asks at once gets the same. */
  pseudonymFor(participant: ParticipantId, candidate: Pseudonym): Promise<Pseudonym>
  findPseudonym(participant: ParticipantId): Promise<Pseudonym | undefined>
  deletePseudonym(participant: ParticipantId): Promise<void>
  /** Takes `kept` out of every event of this pseudonym; `keptDigest` stays. Returns how many. */
  eraseKept(who: Pseudonym): Promise<number>

  /** The audit key, sealed: `candidate`, if there was none. Whoever asks at once gets the same. */
  keyFor(candidate: Sealed): Promise<Sealed>
  findKey(): Promise<Sealed | undefined>
  /** False: it was replaced meanwhile. */
  replaceKey(previous: Sealed, next: Sealed): Promise<boolean>
}
