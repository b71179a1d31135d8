import { randomBytes } from 'node:crypto'
import { canonicalJson } from '../base/canonical.ts'
import { BadArgument } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { digestKept, type SpelledDraft } from './chain/mac.ts'
import type { Pseudonym } from './event.ts'
import type { AuditKind, CustomAuditKind } from './kinds.ts'

/** Something that happened, to be written to the audit. */
export interface AuditEntry {
  kind: AuditKind | CustomAuditKind
  /** The participant who did it, or for whom it was asked. */
  who?: ParticipantId
  /** The id of the record it is about. */
  about?: string
  /** Facts without names or secrets. */
  data?: JsonObject
  /** What a rule wants kept in full, such as arguments. Erased when the participant is forgotten. */
  keep?: JsonObject
}

/** The largest size of one entry, in bytes of JSON. */
export const largestEntry = 64 * 1024

/** A copy of an entry, so that later changes by the caller do not reach the audit. */
export interface TakenEntry {
  readonly kind: string
  readonly who: ParticipantId | undefined
  readonly about: string | undefined
  /** Its data as canonical JSON. */
  readonly spelled: string
  readonly keep: JsonObject | undefined
}

/** Copies an entry. Refuses one that is not JSON, or is too large. */
export function takeEntry({ who, kind, about, data = {}, keep }: AuditEntry, largest: number): TakenEntry {
  if (!kind.isWellFormed() || about?.isWellFormed() === false) {
    throw new BadArgument('Text with half a surrogate pair is not Unicode, and not for the audit.', { detail: kind })
  }
  const spelled = canonicalJson(data)
  const kept = keep && canonicalJson(keep)
  const size =
    Buffer.byteLength(kind) +
    Buffer.byteLength(about ?? '') +
    Buffer.byteLength(spelled) +
    (kept === undefined ? 0 : Buffer.byteLength(kept))
  if (size > largest) {
    throw new BadArgument(`An audit entry may hold ${largest} bytes, and this one holds ${size}.`, { detail: kind })
  }
  return { kind, who, about, spelled, keep: kept === undefined ? undefined : JSON.parse(kept) }
}

/** The event that an entry becomes, without its place in the chain. */
export function draftOf({ kind, about, spelled, keep }: TakenEntry, at: Date, who?: Pseudonym): SpelledDraft {
  const draft: { -readonly [Key in keyof SpelledDraft]: SpelledDraft[Key] } = { at, kind, spelled }
  if (who !== undefined) draft.who = who
  if (about !== undefined) draft.about = about
  if (keep !== undefined) {
    draft.kept = { salt: randomBytes(16).toString('base64url'), value: keep }
    draft.keptDigest = digestKept(draft.kept)
  }
  return draft
}
