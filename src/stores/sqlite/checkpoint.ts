import type { SqliteDatabase } from './driver.ts'

/** Moves writes from the log into the file. If another process is using either, a later checkpoint does it. */
export function checkpoint(database: SqliteDatabase, how: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    database.exec(`PRAGMA wal_checkpoint(${how})`)
  } catch {
    // Nothing is lost: the writes stay in the log.
  }
}
