import type { Database } from './driver.ts'

/** Moves what was written from the log into the file; while another process is busy with either, the next one does it. */
export function checkpoint(database: Database, how: 'PASSIVE' | 'TRUNCATE'): void {
  try {
    database.exec(`PRAGMA wal_checkpoint(${how})`)
  } catch {
    // Nothing is lost: the log is as good as the file.
  }
}
