import { chmodSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fromLines, ignoreMissing, type JournalRow, journalPrefix, retiredMode } from './journal-file.ts'

/** A process empties its journal within a second or two. One that was not written to for so long is left behind. */
const leftAfterMs = 60_000
/** The time of a file is only as exact as the tick of the system. */
const tickMs = 1_000

/** The journals beside a database that other processes write, or left when they were killed. */
export interface LeftJournals {
  /**
   * Stores every event in them by `store`, and deletes those that are left behind. Events that are stored already may
   * be among them.
   */
  collect(own: string | undefined, store: (rows: readonly JournalRow[]) => void): void
}

/** Finds the journals beside a database. */
export function findLeftJournals(database: string, now = () => Date.now()): LeftJournals {
  const folder = dirname(database)
  const prefix = basename(journalPrefix(database))
  /** What was read last of each, so that a file that did not change is not read again. */
  const known = new Map<string, string>()

  function read(path: string, store: (rows: readonly JournalRow[]) => void): void {
    const { size, mtimeMs } = statSync(path)
    const isLeft = now() - mtimeMs > leftAfterMs
    if (isLeft) retire(path, store)
    const state = `${size} ${mtimeMs}`
    if (isLeft || size === 0 || (known.get(path) === state && now() - mtimeMs > tickMs)) return
    store(fromLines(readFileSync(path, 'utf8')))
    known.set(path, state)
  }

  return {
    collect(own, store) {
      const paths = readdirSync(folder)
        .filter((name) => name.startsWith(prefix))
        .map((name) => join(folder, name))
        .filter((path) => path !== own)
      for (const path of known.keys()) if (!paths.includes(path)) known.delete(path)
      for (const path of paths) ignoreMissing(() => read(path, store))
    },
  }
}

/**
 * Deletes a journal whose process seems to be gone. Should that process only have been stopped for long, it loses
 * nothing: the file is marked before it is read for the last time, and whoever writes to it looks for the mark after each
 * write. So either this sees the line, or the writer sees the mark and writes the line again elsewhere.
 */
function retire(path: string, store: (rows: readonly JournalRow[]) => void): void {
  chmodSync(path, retiredMode)
  store(fromLines(readFileSync(path, 'utf8')))
  unlinkSync(path)
}
