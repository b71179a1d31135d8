import { randomBytes } from 'node:crypto'
import { canonicalJson } from '../base/canonical.ts'
import { BadArgument } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import type { Pseudonym } from './event.ts'
import { digestKept, type EventDraft } from './mac.ts'

/** Something that happened and is to be remembered. */
export interface AuditEntry {
  kind: string
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

/** A copy of the entry as it is now, whatever the caller does with theirs. Refuses what is not JSON, or too large. */
export function takeEntry({ who, kind, about, data = {}, keep }: AuditEntry, largest: number): AuditEntry {
  const text = canonicalJson({ kind, about, data, keep })
  const size = Buffer.byteLength(text)
  if (size > largest) {
    throw new BadArgument(`An audit entry may hold ${largest} bytes, and this one holds ${size}.`, { detail: kind })
  }
  const copy: AuditEntry = JSON.parse(text)
  return who === undefined ? copy : { ...copy, who }
}

/** The event an entry becomes, but for its place. */
export function draftOf({ kind, about, data = {}, keep }: AuditEntry, at: Date, who?: Pseudonym): EventDraft {
  const kept = keep && { salt: randomBytes(16).toString('base64url'), value: keep }
  return {
    at,
    kind,
    ...(who !== undefined && { who }),
    ...(about !== undefined && { about }),
    data,
    ...(kept && { kept, keptDigest: digestKept(kept) }),
  }
}
