import type { JsonObject } from '../base/json.ts'

/** Names one chain: the events that one process wrote, from its start to its end. */
export type ChainId = string & { readonly __chain: true }

/** Stands for a participant in the audit. Once the participant is forgotten, nothing links the two. */
export type Pseudonym = string & { readonly __pseudonym: true }

/** One thing that happened, chained to the event before it. */
export interface AuditEvent {
  readonly chain: ChainId
  /** 1 for the first event of a chain, then without gaps. */
  readonly seq: number
  readonly at: Date
  /** One of `auditKinds`, or a custom kind. A newer version of Assent may have written others. */
  readonly kind: string
  /** The participant who did it, or for whom it was asked. */
  readonly who?: Pseudonym
  /** The id of the record that it is about. */
  readonly about?: string
  /** Facts without names or secrets: ids, digests, counts, reasons. */
  readonly data: JsonObject
  /** What a rule wanted kept in full, such as arguments. Forgetting a participant erases it; its digest stays. */
  readonly kept?: KeptInFull
  readonly keptDigest?: string
  /** The `mac` of the event before; empty for the first. */
  readonly prev: string
  /** A MAC over everything above, except `kept`, with the audit key. */
  readonly mac: string
}

/** An event on its way into a store, with its data as canonical JSON: who writes it need not spell it again. */
export type SpelledEvent = Omit<AuditEvent, 'data'> & { readonly spelled: string }

/** What is kept in full. The salt stops anyone from guessing an erased value by its digest. */
export interface KeptInFull {
  readonly salt: string
  readonly value: JsonObject
}

/** The end of a chain at some moment. Kept elsewhere, it shows whether anything before it was cut off later. */
export interface Head {
  readonly chain: ChainId
  readonly seq: number
  readonly mac: string
}

/** Where a chain begins after its oldest events were deleted: the last deleted event, proven by `anchorMac`. */
export interface Anchor extends Head {
  readonly anchorMac: string
}
