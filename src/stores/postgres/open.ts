import { type Clock, systemClock } from '../../base/clock.ts'
import { measuredClock } from '../measured-clock.ts'
import type { Store } from '../store.ts'
import { postgresAudit } from './audit.ts'
import { postgresBrowsers } from './browsers.ts'
import { channelOf, createPostgresChanges } from './changes.ts'
import { postgresConnections } from './connections.ts'
import { openPostgres, type PostgresDatabase, type PostgresStatement } from './database.ts'
import { postgresElicitations } from './elicitations.ts'
import { asStoreError } from './errors.ts'
import { postgresGrants } from './grants.ts'
import { postgresHub } from './hub.ts'
import { migratePostgres, postgresMigrations } from './migrations.ts'
import { postgresPasskeys } from './passkeys.ts'
import { postgresSteps } from './steps.ts'
import { postgresHoldings, postgresInstances, postgresMailbox, postgresSessions } from './tables/instances.ts'
import { gatherNotifications } from './tables/notify.ts'
import { postgresOwned } from './tables/owned.ts'
import { postgresDefinitions, postgresRegistrations } from './tables/registrations.ts'
import { postgresRollups } from './tables/rollups.ts'
import { postgresUsage } from './tables/usage.ts'

/** Options of a PostgreSQL store. */
export interface PostgresOptions {
  /** The maximum number of connections, without the one that listens; `?connections=` in the address wins. Default: 10. */
  readonly connections?: number
  /** This machine's own clock, which is compared with the server's. Default: the system clock. */
  readonly clock?: Clock
}

/**
 * A store for many processes and machines. Needs the package `pg`; creates and migrates its tables in the current
 * schema.
 */
export async function openPostgresStore(
  url: string,
  { connections = 10, clock: machine = systemClock }: PostgresOptions = {},
): Promise<Store> {
  const database = await openPostgres(url, connections)
  try {
    const channel = await prepare(database)
    const clock = await measuredClock({ machine, readTime: () => readTime(database) })
    const changes = createPostgresChanges(database, channel)
    const notify = gatherNotifications(database, channel)
    return {
      name: database.name,
      elicitations: postgresElicitations(database, channel, notify),
      changes,
      audit: postgresAudit(database),
      steps: postgresSteps(database),
      browsers: postgresBrowsers(database),
      connections: postgresConnections(database),
      registrations: postgresRegistrations(database),
      definitions: postgresDefinitions(database),
      grants: postgresGrants(database),
      usage: postgresUsage(database),
      passkeys: postgresPasskeys(database),
      tokens: postgresOwned(database, 'token'),
      pushes: postgresOwned(database, 'push'),
      hub: postgresHub(database),
      instances: postgresInstances(database),
      mailbox: postgresMailbox(database, changes, notify),
      sessions: postgresSessions(database),
      rollups: postgresRollups(database),
      holdings: postgresHoldings(database),
      clock,
      // The server finds damage itself, with data checksums or pg_amcheck.
      findDamage: async () => [],
      // Autovacuum does it.
      shrink: async () => false,
      async close() {
        changes.close()
        clock.stop()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

// Not now(), which is when the transaction began.
const currentTime: PostgresStatement = {
  name: 'assent_time',
  text: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as time`,
}

async function readTime(database: PostgresDatabase): Promise<number> {
  const [row] = (await database.query<{ time: number }>(currentTime, [])).rows
  return (row as { time: number }).time
}

/** Migrates on a connection without a time limit. Returns the channel for notifications. */
async function prepare(database: PostgresDatabase): Promise<string> {
  const client = database.newClient()
  client.on('error', () => {})
  try {
    await client.connect()
    // A limit in the address is meant for the statements of every day.
    await client.query('set statement_timeout = 0')
    await migratePostgres(client, postgresMigrations)
    return await channelOf(client)
  } catch (error) {
    throw asStoreError(error)
  } finally {
    client.end().catch(() => {})
  }
}
