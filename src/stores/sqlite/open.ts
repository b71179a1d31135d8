import { mkdir, open as openFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StoreDamaged } from '../errors.ts'
import { closeOnce, type Store } from '../store.ts'
import { systemStoreClock } from '../store-clock.ts'
import { sqliteAudit } from './audit.ts'
import { sqliteBrowsers } from './browsers.ts'
import { createSqliteChanges } from './changes.ts'
import { checkpoint, shrink } from './checkpoint.ts'
import { sqliteConnections } from './connections.ts'
import { damageIn } from './damage.ts'
import { openSqlite, runRead, type SqliteDatabase, translateError } from './driver.ts'
import { sqliteElicitations } from './elicitations.ts'
import { sqliteGrants } from './grants.ts'
import { openJournal } from './journal/journal.ts'
import { migrateSqlite } from './migrations.ts'
import { sqliteSteps } from './steps.ts'
import { sqliteHub } from './tables/hub.ts'
import { sqliteHoldings, sqliteInstances, sqliteMailbox, sqliteSessions } from './tables/instances.ts'
import { sqliteOwned } from './tables/owned.ts'
import { sqlitePasskeys } from './tables/passkeys.ts'
import { sqliteDefinitions, sqliteRegistrations } from './tables/registrations.ts'
import { sqliteRollups } from './tables/rollups.ts'
import { sqliteUsage } from './tables/usage.ts'
import { createWriter } from './writer.ts'

/** Options of a SQLite store. */
export interface SqliteOptions {
  /** How long to wait while another process is writing, in milliseconds. */
  readonly busyMs?: number
  /**
   * `power`: writes survive a power failure, at the cost of a disk flush for every write. `process` (default): writes
   * survive a crash of the process; a power failure may lose the latest ones, but never corrupts the file.
   */
  readonly survives?: 'process' | 'power'
}

/** A store in one file, which several processes on one machine may use at once. */
export async function openSqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const database = await openOwnFile(path)
  try {
    configure(database, options)
    if ((await stat(path)).size <= checkedAtOpen) refuseDamaged(database, path)
    migrateSqlite(database)
  } catch (error) {
    database.close()
    throw translateError(error)
  }
  // A flush of the file for every event would cost as much as a transaction.
  const journal = options.survives === 'power' ? undefined : openJournal(path, database)
  const writer = createWriter(database, journal)
  const changes = createSqliteChanges(database)
  return {
    name: `sqlite:${path}`,
    elicitations: sqliteElicitations(database, writer, changes),
    changes,
    audit: sqliteAudit(database, writer, journal),
    steps: sqliteSteps(database, writer),
    browsers: sqliteBrowsers(database, writer),
    connections: sqliteConnections(database, writer),
    registrations: sqliteRegistrations(database, writer),
    definitions: sqliteDefinitions(database, writer),
    grants: sqliteGrants(database, writer),
    usage: sqliteUsage(database, writer),
    passkeys: sqlitePasskeys(database, writer),
    tokens: sqliteOwned(database, writer, 'token'),
    pushes: sqliteOwned(database, writer, 'push'),
    hub: sqliteHub(database, writer),
    instances: sqliteInstances(database, writer),
    mailbox: sqliteMailbox(database, writer, changes),
    sessions: sqliteSessions(database, writer),
    rollups: sqliteRollups(database, writer),
    holdings: sqliteHoldings(database, writer),
    clock: systemStoreClock,
    findDamage: () => runRead(() => damageIn(database)),
    shrink: () => shrink(database, writer),
    close: closeOnce(async () => {
      changes.close()
      await writer.drained()
      journal?.close()
      checkpoint(database, 'PASSIVE')
      database.close()
    }),
  }
}

async function openOwnFile(path: string): Promise<SqliteDatabase> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // Created by us, so that other users of the machine cannot read it. SQLite gives its other files the same mode.
    await (await openFile(path, 'a', 0o600)).close()
    return await openSqlite(path)
  } catch (error) {
    throw translateError(error)
  }
}

/** A file of up to so many bytes is checked each time it is opened, which takes about a millisecond for each MB. */
const checkedAtOpen = 16 * 1024 * 1024

function refuseDamaged(database: SqliteDatabase, path: string): void {
  const damage = damageIn(database)
  if (damage.length === 0) return
  const remedy = `Restore a backup of it, or save what can still be read: sqlite3 ${path} .recover`
  throw new StoreDamaged(`sqlite:${path}`, damage, remedy)
}

function configure(database: SqliteDatabase, { busyMs = 5_000, survives = 'process' }: SqliteOptions): void {
  // First, because another process may be opening the file during the next statements.
  database.exec(`PRAGMA busy_timeout = ${Math.trunc(busyMs)}`)
  // Has an effect on a new file only, and only before anything is written to it.
  database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(`PRAGMA synchronous = ${survives === 'power' ? 'FULL' : 'NORMAL'}`)
  // Deleted data is overwritten, so that forgetting a participant leaves nothing in free pages.
  database.exec('PRAGMA secure_delete = ON')
}
