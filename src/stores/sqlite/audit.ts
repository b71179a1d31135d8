import type { Anchor, AuditEvent, ChainId, Head, Pseudonym } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { Sealed } from '../../base/seal.ts'
import { type AuditRow, fromAuditRow, toAuditRow } from '../rows/audit.ts'
import type { Bindable, SqliteDatabase, SqliteRow, SqliteStatement } from './driver.ts'
import { runRead } from './driver.ts'
import type { Writer } from './writer.ts'

const event = (row: SqliteRow) => fromAuditRow(row as unknown as AuditRow)
const sealed = (row: SqliteRow | undefined): Sealed | undefined =>
  row && { key: String(row.sealed_key), box: String(row.box) }

/** The audit in SQLite. */
export function sqliteAudit(database: SqliteDatabase, writer: Writer): AuditStore {
  const sql = prepareAll(database)

  const appends: SqliteStatement[] = []

  /** One statement for all events: a transaction around several statements costs as much as the rows themselves. */
  function append(events: readonly AuditEvent[]): void {
    appends[events.length] ??= database.prepare(sqlToAppend(events.length))
    appends[events.length]?.run(...events.flatMap(valuesOf))
  }

  return {
    append: (events) =>
      events.length <= maxBatch
        ? writer.writeOne(() => append(events))
        : writer.write(() => {
            for (let at = 0; at < events.length; at += maxBatch) append(events.slice(at, at + maxBatch))
          }),
    read: (chain, afterSeq, limit) => runRead(() => sql.read.all(chain, afterSeq, limit).map(event)),
    heads: (limit) => runRead(() => sql.heads.all(limit).map(head)),
    chains: () => runRead(() => sql.chains.all().map(chainWithAnchor)),
    prune: (anchor) =>
      writer.write(() => {
        sql.keepAnchor.run(anchor.chain, anchor.seq, anchor.mac, anchor.anchorMac, anchor.chain)
        return sql.prune.run(anchor.chain, anchor.seq)
      }),

    pseudonymFor: (participant, candidate) =>
      writer.write(() => {
        sql.addPseudonym.run(participant, candidate)
        return sql.findPseudonym.get(participant)?.pseudonym as Pseudonym
      }),
    findPseudonym: (participant) =>
      runRead(() => sql.findPseudonym.get(participant)?.pseudonym as Pseudonym | undefined),
    deletePseudonym: (participant) => writer.writeOne(() => void sql.deletePseudonym.run(participant)),
    eraseKept: (who) => writer.writeOne(() => sql.eraseKept.run(who)),

    keyFor: (candidate) =>
      writer.write(() => {
        sql.addKey.run(candidate.key, candidate.box)
        return sealed(sql.findKey.get()) ?? candidate
      }),
    findKey: () => runRead(() => sealed(sql.findKey.get())),
    replaceKey: (previous, next) =>
      writer.writeOne(() => sql.replaceKey.run(next.key, next.box, previous.key, previous.box) === 1),
  }
}

const maxBatch = 16

function sqlToAppend(count: number): string {
  const row = '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'
  return `INSERT INTO audit_event (chain, seq, at, kind, who, about, data, kept, kept_digest, prev, mac)
    VALUES ${Array.from({ length: count }, () => row).join(', ')}`
}

function valuesOf(event: AuditEvent): Bindable[] {
  const { chain, seq, at, kind, who, about, data, kept, kept_digest, prev, mac } = toAuditRow(event)
  return [chain, Number(seq), Number(at), kind, who, about, data, kept, kept_digest, prev, mac]
}

function head(row: SqliteRow): Head {
  return { chain: row.chain as ChainId, seq: Number(row.seq), mac: String(row.mac) }
}

function chainWithAnchor(row: SqliteRow): { chain: ChainId; anchor?: Anchor } {
  const chain = row.chain as ChainId
  if (row.anchor_mac === null) return { chain }
  return { chain, anchor: { ...head(row), anchorMac: String(row.anchor_mac) } }
}

/** Steps from chain to chain along the primary key: GROUP BY would read every event, which takes seconds for millions. */
const eachChain = `each_chain (chain) AS (
  SELECT min(chain) FROM audit_event
  UNION ALL
  SELECT (SELECT min(chain) FROM audit_event WHERE chain > each_chain.chain) FROM each_chain WHERE chain IS NOT NULL
)`

/** When the oldest event that is left of a chain was written. */
const firstMoment = (chain: string) => `SELECT at FROM audit_event WHERE chain = ${chain} ORDER BY seq LIMIT 1`

const texts = {
  read: 'SELECT * FROM audit_event WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?',
  heads: `
    WITH RECURSIVE ${eachChain}
    SELECT last.chain, last.seq, last.mac FROM each_chain
      CROSS JOIN audit_event last ON last.chain = each_chain.chain
        AND last.seq = (SELECT seq FROM audit_event WHERE chain = each_chain.chain ORDER BY seq DESC LIMIT 1)
    ORDER BY last.at DESC LIMIT ?`,
  chains: `
    WITH RECURSIVE ${eachChain}
    SELECT known.chain, a.seq, a.mac, a.anchor_mac
    FROM (
      SELECT chain, min(since) AS since FROM (
        SELECT chain, (${firstMoment('each_chain.chain')}) AS since FROM each_chain WHERE chain IS NOT NULL
        UNION ALL SELECT chain, since FROM audit_anchor)
      GROUP BY chain) known
    LEFT JOIN audit_anchor a ON a.chain = known.chain
    ORDER BY known.since`,
  keepAnchor: `
    INSERT INTO audit_anchor (chain, seq, mac, anchor_mac, since)
    VALUES (?, ?, ?, ?, coalesce((${firstMoment('?')}), 0))
    ON CONFLICT (chain) DO UPDATE
      SET seq = excluded.seq, mac = excluded.mac, anchor_mac = excluded.anchor_mac WHERE excluded.seq > audit_anchor.seq`,
  prune: 'DELETE FROM audit_event WHERE chain = ? AND seq <= ?',

  addPseudonym: 'INSERT INTO pseudonym (participant, pseudonym) VALUES (?, ?) ON CONFLICT (participant) DO NOTHING',
  findPseudonym: 'SELECT pseudonym FROM pseudonym WHERE participant = ?',
  deletePseudonym: 'DELETE FROM pseudonym WHERE participant = ?',
  eraseKept: 'UPDATE audit_event SET kept = NULL WHERE who = ? AND kept IS NOT NULL',

  addKey: 'INSERT INTO audit_key (only, sealed_key, box) VALUES (1, ?, ?) ON CONFLICT (only) DO NOTHING',
  findKey: 'SELECT sealed_key, box FROM audit_key',
  replaceKey: 'UPDATE audit_key SET sealed_key = ?, box = ? WHERE sealed_key = ? AND box = ?',
}

/** Every statement that reads or writes events. None of them may read more of a long history than it was asked for. */
export const auditStatements: readonly string[] = [texts.read, texts.heads, texts.chains, texts.keepAnchor, texts.prune]

function prepareAll(database: SqliteDatabase): Record<keyof typeof texts, SqliteStatement> {
  const prepared = Object.entries(texts).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(prepared)
}
