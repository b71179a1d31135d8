import type { SqliteDatabase } from './driver.ts'

/** The first thing that SQLite finds wrong with the structure of the file, in its own words; empty if nothing. */
export function damageIn(database: SqliteDatabase): string[] {
  try {
    // One row only: with more of them, a damaged table ends the check with an error that names no place.
    const [found] = Object.values(database.prepare('PRAGMA quick_check(1)').get() ?? {})
    return String(found)
      .split('\n')
      .filter((line) => line !== 'ok' && !line.startsWith('***'))
  } catch (error) {
    if (error instanceof Error && /malformed|not a database/.test(error.message)) return [error.message]
    throw error
  }
}
