import type { JsonObject } from '../base/json.ts'

/** Names one chain: what one process wrote, from its start to its end. */
export type ChainId = string & { readonly __chain: true }

/** Stands for a participant in the audit. Once its participant is forgotten, nothing leads from one to the other. */
export type Pseudonym = string & { readonly __pseudonym: true }

/** One thing that happened, chained to the one before. */
export interface AuditEvent {
  readonly chain: ChainId
  /** 1 for the first event of a chain, then without gaps. */
  readonly seq: number
  readonly at: Date
  /** One of `auditKinds`, or a custom kind. A newer version of Assent may have written others. */
  readonly kind: string
  /** Whose doing or asking it was. */
  readonly who?: Pseudonym
  /** The record it is about. */
  readonly about?: string
  /** Facts without names or secrets: ids, digests, counts, reasons. */
  readonly data: JsonObject
  /** What a rule wanted kept in full, such as arguments. Forgetting a participant erases it; its digest stays. */
  readonly kept?: KeptInFull
  readonly keptDigest?: string
  /** The `mac` of the event before; empty for the first. */
  readonly prev: string
  /** Over everything above, with the audit key. */
  readonly mac: string
}

/** The salt keeps anyone from guessing an erased value by its digest. */
export interface KeptInFull {
  readonly salt: string
  readonly value: JsonObject
}

/** The end of a chain at some moment: whoever holds it can tell whether anything before was cut off since. */
export interface Head {
  readonly chain: ChainId
  readonly seq: number
  readonly mac: string
}

/** Where a chain begins after its oldest events were deleted: the last one deleted, vouched for by `anchorMac`. */
export interface Anchor extends Head {
  readonly anchorMac: string
}
