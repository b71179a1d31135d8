import { mkdir, open as openFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { once, type Store } from '../store.ts'
import { sqliteAudit } from './audit.ts'
import { sqliteBrowsers } from './browsers.ts'
import { createChanges } from './changes.ts'
import { checkpoint } from './checkpoint.ts'
import { sqliteConnections } from './connections.ts'
import { type Database, openDatabase } from './driver.ts'
import { sqliteElicitations } from './elicitations.ts'
import { translated } from './errors.ts'
import { sqliteGrants } from './grants.ts'
import { migrate } from './migrations.ts'
import { sqliteSteps } from './steps.ts'
import { createWriter } from './writer.ts'

export interface SqliteOptions {
  /** How long to wait for another process that is writing, in milliseconds. */
  readonly busyMs?: number
  /**
   * `power`: what was kept survives the machine losing power, at the price of a disk flush for every write. Otherwise
   * it survives the end of the process, however sudden; power loss may take the last moments, but never breaks the file.
   */
  readonly survives?: 'process' | 'power'
}

/** Keeps everything in one file, which several processes on one machine may use at once. */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Made by us, so that nobody else on the machine can read it; SQLite gives its other files the same mode.
  await (await openFile(path, 'a', 0o600)).close()
  const database = await openDatabase(path)
  try {
    configure(database, options)
    migrate(database)
  } catch (error) {
    database.close()
    throw translated(error)
  }
  const writer = createWriter(database)
  const changes = createChanges(database)
  return {
    name: `sqlite:${path}`,
    elicitations: sqliteElicitations(database, writer, changes),
    changes,
    audit: sqliteAudit(database, writer),
    steps: sqliteSteps(database, writer),
    browsers: sqliteBrowsers(database, writer),
    connections: sqliteConnections(database, writer),
    grants: sqliteGrants(database, writer),
    close: once(async () => {
      changes.close()
      await writer.drained()
      checkpoint(database, 'PASSIVE')
      database.close()
    }),
  }
}

function configure(database: Database, { busyMs = 5_000, survives = 'process' }: SqliteOptions): void {
  // First of all: the next statements may meet another process that is just opening the file.
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyMs)}`)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`PRAGMA synchronous = ${survives === 'power' ? 'FULL' : 'NORMAL'}`)
  // What was deleted is overwritten: forgetting somebody leaves nothing behind in free pages.
  database.exec('PRAGMA secure_delete = ON')
}
