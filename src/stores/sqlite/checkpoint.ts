import type { SqliteDatabase } from './driver.ts'
import type { Writer } from './writer.ts'

/** Moves writes from the log into the file. If another process is using either, a later checkpoint does it. */
export function checkpoint(database: SqliteDatabase, how: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    database.exec(`PRAGMA wal_checkpoint(${how})`)
  } catch {
    // Nothing is lost: the writes stay in the log.
  }
}

/** 2 MB of a file with pages of 4 KiB: the process does nothing else while they are given back. */
const pagesAtOnce = 512

/**
 * Gives some of the free pages of the file back to the file system. Returns whether more are free. A file that was made
 * without `auto_vacuum` keeps its size until somebody runs VACUUM on it, since VACUUM rewrites all of it at once.
 */
export async function shrink(database: SqliteDatabase, writer: Writer): Promise<boolean> {
  const free = () => Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count)
  const isIncremental = Number(database.prepare('PRAGMA auto_vacuum').get()?.auto_vacuum) === 2
  if (!isIncremental || free() === 0) return false
  await writer.writeOne(() => database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`))
  return free() > 0
}
