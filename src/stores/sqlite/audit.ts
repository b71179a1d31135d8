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
  const sql = statements(database)

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
    async lastBefore(chain, moment) {
      const row = await runRead(() => sql.lastBefore.get(chain, chain, moment.getTime()))
      return row && event(row)
    },
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

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    read: prepare('SELECT * FROM audit_event WHERE chain = ? AND seq > ? ORDER BY seq LIMIT ?'),
    heads: prepare(`
      SELECT e.chain, e.seq, e.mac FROM audit_event e
        JOIN (SELECT chain, max(seq) AS seq FROM audit_event GROUP BY chain) last
          ON e.chain = last.chain AND e.seq = last.seq
      ORDER BY e.at DESC LIMIT ?`),
    chains: prepare(`
      SELECT known.chain, a.seq, a.mac, a.anchor_mac
      FROM (
        SELECT chain, min(since) AS since FROM (
          SELECT chain, min(at) AS since FROM audit_event GROUP BY chain
          UNION ALL SELECT chain, since FROM audit_anchor)
        GROUP BY chain) known
      LEFT JOIN audit_anchor a ON a.chain = known.chain
      ORDER BY known.since`),
    lastBefore: prepare(`
      SELECT * FROM audit_event WHERE chain = ? AND seq < coalesce(
        (SELECT min(seq) FROM audit_event WHERE chain = ? AND at >= ?), 9007199254740991)
      ORDER BY seq DESC LIMIT 1`),
    keepAnchor: prepare(`
      INSERT INTO audit_anchor (chain, seq, mac, anchor_mac, since)
      VALUES (?, ?, ?, ?, coalesce((SELECT min(at) FROM audit_event WHERE chain = ?), 0))
      ON CONFLICT (chain) DO UPDATE
        SET seq = excluded.seq, mac = excluded.mac, anchor_mac = excluded.anchor_mac WHERE excluded.seq > audit_anchor.seq`),
    prune: prepare('DELETE FROM audit_event WHERE chain = ? AND seq <= ?'),

    addPseudonym: prepare(
      'INSERT INTO pseudonym (participant, pseudonym) VALUES (?, ?) ON CONFLICT (participant) DO NOTHING',
    ),
    findPseudonym: prepare('SELECT pseudonym FROM pseudonym WHERE participant = ?'),
    deletePseudonym: prepare('DELETE FROM pseudonym WHERE participant = ?'),
    eraseKept: prepare('UPDATE audit_event SET kept = NULL WHERE who = ? AND kept IS NOT NULL'),

    addKey: prepare('INSERT INTO audit_key (only, sealed_key, box) VALUES (1, ?, ?) ON CONFLICT (only) DO NOTHING'),
    findKey: prepare('SELECT sealed_key, box FROM audit_key'),
    replaceKey: prepare('UPDATE audit_key SET sealed_key = ?, box = ? WHERE sealed_key = ? AND box = ?'),
  }
}
