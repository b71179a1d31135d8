import type { Bindable, SqliteDatabase, SqliteStatement } from '../driver.ts'
import { type Prelude, transactions } from '../writer.ts'
import { createJournalFile, type JournalRow, toLine } from './journal-file.ts'
import { findLeftJournals } from './left-journals.ts'

/**
 * Audit events on their way into the database. Storing an event in the database takes a transaction of its own; appending
 * it to a file takes a tenth of that and survives the end of the process as well. So events are appended to a file first,
 * and many of them are packed into the database at once.
 *
 * - Each process has a file of its own, beside the database. Only its process appends to it, and empties it after what is
 *   in it was committed. Packing it twice changes nothing, because a place in a chain is stored once.
 * - Before anything else is written to the database, the events are packed, in the same transaction. So nothing is in
 *   the database without the events that were recorded before it, also after a power failure.
 * - Who reads events packs all journals first, also those of other processes. So there is one place to read.
 * - A file that was left by a killed process is packed by the next one that reads, and deleted when it is a minute old.
 */
export interface Journal extends Prelude {
  /** Whether there is room for so many more events. None is left while the database cannot be written to. */
  hasRoom(count: number): boolean
  /** The events are in the file when this returns. If it throws, none of them is. */
  append(rows: readonly JournalRow[]): void
  /** Packs the journals of all processes. Then everything that was recorded so far is in the database. */
  packAll(): void
  /** Packs what is left, and deletes the file. */
  close(): void
}

/** How long an event stays in the file at most, and how many of them. */
const packAfterMs = 1_000
const packAt = 500
const most = 5_000

/** The journal of this process. */
export function openJournal(path: string, database: SqliteDatabase): Journal {
  const file = createJournalFile(path)
  const others = findLeftJournals(path)
  const inTransaction = transactions(database)
  const store = storeRows(database)
  let pending: JournalRow[] = []
  let soon: NodeJS.Timeout | undefined
  let now: NodeJS.Immediate | undefined

  function run(): void {
    store(pending)
  }

  function done(): void {
    pending = []
    clearTimeout(soon)
    clearImmediate(now)
    soon = now = undefined
    file.clear()
  }

  function pack(): void {
    if (pending.length === 0) return
    inTransaction(run)
    done()
  }

  function packLater(): void {
    soon ??= setTimeout(packOrWait, packAfterMs).unref()
    if (pending.length >= packAt) now ??= setImmediate(packOrWait)
  }

  function packOrWait(): void {
    soon = now = undefined
    try {
      pack()
    } catch {
      // Another process holds the database, or the disk is full. Nothing is lost: the events are in the file.
      soon = setTimeout(packOrWait, packAfterMs).unref()
    }
  }

  return {
    isEmpty: () => pending.length === 0,
    run,
    done,
    hasRoom: (count) => pending.length + count <= most,
    append(rows) {
      let lines = ''
      for (const row of rows) lines += toLine(row)
      file.append(lines)
      for (const row of rows) pending.push(row)
      packLater()
    },
    packAll() {
      pack()
      others.collect(file.path(), (rows) => {
        if (rows.length > 0) inTransaction(() => store(rows))
      })
    },
    close() {
      clearTimeout(soon)
      clearImmediate(now)
      pack()
      file.remove()
    },
  }
}

/** How many events one statement stores. Each is cheaper the more there are, and few sizes need few statements. */
const rowsAtOnce = [64, 8, 1] as const

/** Makes a function that stores events, except those that are stored, or were pruned meanwhile. */
function storeRows(database: SqliteDatabase): (rows: readonly JournalRow[]) => void {
  const findAnchor = database.prepare('SELECT seq FROM audit_anchor WHERE chain = ?')
  const inserts: SqliteStatement[] = []

  function insert(rows: readonly JournalRow[]): void {
    inserts[rows.length] ??= database.prepare(`
      INSERT INTO audit_event (chain, seq, at, kind, who, about, data, prev, mac)
      VALUES ${rows.map(() => '(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}
      ON CONFLICT (chain, seq) DO NOTHING`)
    const values: Bindable[] = []
    for (const { chain, seq, at, kind, who, about, data, prev, mac } of rows) {
      values.push(chain, seq, at, kind, who, about, data, prev, mac)
    }
    inserts[rows.length]?.run(...values)
  }

  return (rows) => {
    const pruned = new Map<string, number>()
    for (const { chain } of rows) {
      if (!pruned.has(chain)) pruned.set(chain, Number(findAnchor.get(chain)?.seq ?? 0))
    }
    const kept = rows.filter(({ chain, seq }) => seq > (pruned.get(chain) ?? 0))
    let at = 0
    for (const size of rowsAtOnce) {
      for (; at + size <= kept.length; at += size) insert(kept.slice(at, at + size))
    }
  }
}
