import type { Anchor, AuditEvent, ChainId, Head, Pseudonym, SpelledEvent } from '../../audit/event.ts'
import type { AuditStore } from '../../audit/store.ts'
import type { Sealed } from '../../base/seal.ts'
import { type AuditRow, fromAuditRow, toAuditRow } from '../rows/audit.ts'
import type { Bindable, SqliteDatabase, SqliteRow, SqliteStatement } from './driver.ts'
import { runRead, translateError } from './driver.ts'
import type { Journal } from './journal/journal.ts'
import type { JournalRow } from './journal/journal-file.ts'
import type { Writer } from './writer.ts'

const event = (row: SqliteRow) => fromAuditRow(row as unknown as AuditRow)
const sealed = (row: SqliteRow | undefined): Sealed | undefined =>
  row && { key: String(row.sealed_key), box: String(row.box) }

/** The audit in SQLite. Without a journal, every event is stored in the database at once. */
export function sqliteAudit(database: SqliteDatabase, writer: Writer, journal?: Journal): AuditStore {
  const sql = prepareAll(database)
  /** The last place of each chain that this process stored. The first event of a chain goes into the database. */
  const ends = new Map<ChainId, number>()

  const appends: SqliteStatement[] = []

  /** One statement for all events: a transaction around several statements costs as much as the rows themselves. */
  function append(events: readonly AuditEvent[]): void {
    appends[events.length] ??= database.prepare(sqlToAppend(events.length))
    appends[events.length]?.run(...events.flatMap(valuesOf))
  }

  function appendToDatabase(events: readonly AuditEvent[]): Promise<void> {
    if (events.length <= maxBatch) return writer.writeOne(() => append(events))
    return writer.write(() => {
      for (let at = 0; at < events.length; at += maxBatch) append(events.slice(at, at + maxBatch))
    })
  }

  function continuesChain({ chain, seq }: Written, index: number, events: readonly Written[]): boolean {
    const before = events[index - 1]
    return seq === 1 + ((before?.chain === chain ? before.seq : ends.get(chain)) ?? Number.NaN)
  }

  function remember(events: readonly Written[]): void {
    for (const { chain, seq } of events) ends.set(chain, seq)
  }

  function appendAtOnce(events: readonly Written[], dataOf: (event: never) => string): boolean {
    if (journal === undefined || !journal.hasRoom(events.length)) return false
    if (events.some(({ kept, keptDigest }) => kept !== undefined || keptDigest !== undefined)) return false
    if (!events.every(continuesChain)) return false
    try {
      journal.append(events.map((event) => toJournalRow(event, dataOf(event as never))))
    } catch (error) {
      throw translateError(error)
    }
    remember(events)
    return true
  }

  /** Reads after everything that is recorded was packed into the database. */
  function readPacked<T>(work: () => T): Promise<T> {
    return runRead(() => {
      journal?.packAll()
      return work()
    })
  }

  // Events in a journal come after those of their chain that are in the database.
  function read(chain: ChainId, afterSeq: number, limit: number): AuditEvent[] {
    const found = sql.read.all(chain, afterSeq, limit)
    if (found.length === limit || journal === undefined) return found.map(event)
    journal.packAll()
    return sql.read.all(chain, afterSeq, limit).map(event)
  }

  return {
    appendsAtOnce: journal !== undefined,
    appendAtOnce: (events) => appendAtOnce(events, spelledIn),
    async append(events) {
      if (appendAtOnce(events, dataIn)) return
      await appendToDatabase(events)
      remember(events)
    },
    read: (chain, afterSeq, limit) => runRead(() => read(chain, afterSeq, limit)),
    heads: (limit) => readPacked(() => sql.heads.all(limit).map(head)),
    chains: () => readPacked(() => sql.chains.all().map(chainWithAnchor)),
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
    eraseKept: (who) => writer.writeInSlices((limit) => sql.eraseKept.run(who, limit)),

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

/** What is looked at before an event is appended, however its data is held. */
type Written = Omit<AuditEvent, 'data'>

const spelledIn = ({ spelled }: SpelledEvent): string => spelled
const dataIn = ({ data }: AuditEvent): string => JSON.stringify(data)

function toJournalRow({ chain, seq, at, kind, who, about, prev, mac }: Written, data: string): JournalRow {
  return { chain, seq, at: at.getTime(), kind, who: who ?? null, about: about ?? null, data, prev, mac }
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
  eraseKept: `
    UPDATE audit_event SET kept = NULL WHERE (chain, seq) IN (
      SELECT chain, seq FROM audit_event WHERE who = ? AND kept IS NOT NULL LIMIT ?)`,

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
