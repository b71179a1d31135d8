import type { AuditEvent, ChainId, Pseudonym } from '../../audit/event.ts'
import type { IntegerValue } from './values.ts'

/** One audit event as a SQL row. */
export interface AuditRow {
  chain: string
  seq: IntegerValue
  at: IntegerValue
  kind: string
  who: string | null
  about: string | null
  data: string
  kept: string | null
  kept_digest: string | null
  prev: string
  mac: string
}

/** The inverse of `fromAuditRow`. */
export function toAuditRow(event: AuditEvent): AuditRow {
  return {
    chain: event.chain,
    seq: event.seq,
    at: event.at.getTime(),
    kind: event.kind,
    who: event.who ?? null,
    about: event.about ?? null,
    data: JSON.stringify(event.data),
    kept: event.kept === undefined ? null : JSON.stringify(event.kept),
    kept_digest: event.keptDigest ?? null,
    prev: event.prev,
    mac: event.mac,
  }
}

/** The event of a row. */
export function fromAuditRow(row: AuditRow): AuditEvent {
  return {
    chain: row.chain as ChainId,
    seq: Number(row.seq),
    at: new Date(Number(row.at)),
    kind: row.kind,
    ...(row.who === null ? {} : { who: row.who as Pseudonym }),
    ...(row.about === null ? {} : { about: row.about }),
    data: parsed(row.data) ?? { unreadable: row.data },
    ...(row.kept === null ? {} : { kept: parsed(row.kept) ?? { salt: '', value: { unreadable: row.kept } } }),
    ...(row.kept_digest === null ? {} : { keptDigest: row.kept_digest }),
    prev: row.prev,
    mac: row.mac,
  }
}

/**
 * Undefined for invalid JSON: a row that was tampered with must still be readable, so that verification can report it.
 */
function parsed(text: string) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
