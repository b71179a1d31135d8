import { randomBytes } from 'node:crypto'
import { canonicalJson } from '../base/canonical.ts'
import { BadArgument } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { digestKept, type EventDraft } from './chain/mac.ts'
import type { Pseudonym } from './event.ts'
import type { AuditKind, CustomAuditKind } from './kinds.ts'

/** Something that happened and is to be remembered. */
export interface AuditEntry {
  kind: AuditKind | CustomAuditKind
  /** Whose doing or asking it was. */
  who?: ParticipantId
  /** The id of the record it is about. */
  about?: string
  /** Facts without names or secrets. */
  data?: JsonObject
  /** What a rule wants kept in full, until the participant is forgotten. */
  keep?: JsonObject
}

/** What one entry may hold, in bytes of JSON. */
export const largestEntry = 64 * 1024

/** An entry as it was when it was taken, whatever the caller does with theirs. */
export interface TakenEntry {
  readonly kind: string
  readonly who: ParticipantId | undefined
  readonly about: string | undefined
  /** Its data, in the canonical spelling. */
  readonly spelled: string
  readonly keep: JsonObject | undefined
}

/** Refuses what is not JSON, or too large. */
export function takeEntry({ who, kind, about, data = {}, keep }: AuditEntry, largest: number): TakenEntry {
  if (!kind.isWellFormed() || about?.isWellFormed() === false) {
    throw new BadArgument('Text with half a surrogate pair is not Unicode, and not for the audit.', { detail: kind })
  }
  const spelled = canonicalJson(data)
  const kept = keep && canonicalJson(keep)
  const size = [kind, about, spelled, kept].reduce((sum, text = '') => sum + Buffer.byteLength(text), 0)
  if (size > largest) {
    throw new BadArgument(`An audit entry may hold ${largest} bytes, and this one holds ${size}.`, { detail: kind })
  }
  return { kind, who, about, spelled, keep: kept === undefined ? undefined : JSON.parse(kept) }
}

/** The event an entry becomes, but for its place. */
export function draftOf({ kind, about, spelled, keep }: TakenEntry, at: Date, who?: Pseudonym): EventDraft {
  const draft: { -readonly [Key in keyof EventDraft]: EventDraft[Key] } = { at, kind, data: JSON.parse(spelled) }
  if (who !== undefined) draft.who = who
  if (about !== undefined) draft.about = about
  if (keep !== undefined) {
    draft.kept = { salt: randomBytes(16).toString('base64url'), value: keep }
    draft.keptDigest = digestKept(draft.kept)
  }
  return draft
}
