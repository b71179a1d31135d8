import type { Sealed } from '../base/seal.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Anchor, AuditEvent, ChainId, Head, Pseudonym, SpelledEvent } from './event.ts'

/** A chain, and where it begins now if its oldest events were pruned. */
export interface ChainStart {
  readonly chain: ChainId
  readonly anchor?: Anchor
}

/** Stores the audit. Events are only added at the end of a chain, and deleted at its beginning. */
export interface AuditStore {
  /** Stores all of them or none, in order. Throws if one of them is stored already. */
  append(events: readonly AuditEvent[]): Promise<void>
  /** Whether `appendAtOnce` ever stores anything. */
  readonly appendsAtOnce: boolean
  /**
   * The same as `append` without waiting, for stores that can. False: nothing was stored, and `append` must be used. If it
   * throws, they may be stored or not.
   */
  appendAtOnce(events: readonly SpelledEvent[]): boolean
  /** In the order of `seq`. */
  read(chain: ChainId, afterSeq: number, limit: number): Promise<AuditEvent[]>
  /** The last event of each chain that has events, the most recently written chain first. */
  heads(limit: number): Promise<Head[]>
  /** Every chain that has an event or an anchor, oldest first. */
  chains(): Promise<ChainStart[]>
  /**
   * Deletes the events of the chain up to the anchor and stores the anchor, both or neither. Returns how many. Two
   * processes may prune at once: an anchor before the stored one changes nothing.
   */
  prune(anchor: Anchor): Promise<number>

  /** The participant's pseudonym, or `candidate` if they had none. Concurrent callers get the same. */
  pseudonymFor(participant: ParticipantId, candidate: Pseudonym): Promise<Pseudonym>
  findPseudonym(participant: ParticipantId): Promise<Pseudonym | undefined>
  deletePseudonym(participant: ParticipantId): Promise<void>
  /** Removes `kept` from every event of this pseudonym; `keptDigest` stays. Returns how many. */
  eraseKept(who: Pseudonym): Promise<number>

  /** The sealed audit key, or `candidate` if there was none. Concurrent callers get the same. */
  keyFor(candidate: Sealed): Promise<Sealed>
  findKey(): Promise<Sealed | undefined>
  /** False if it was replaced meanwhile. */
  replaceKey(previous: Sealed, next: Sealed): Promise<boolean>
}
