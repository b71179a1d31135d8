import type { Store } from '../store.ts'
import { postgresAudit } from './audit.ts'
import { postgresBrowsers } from './browsers.ts'
import { channelOf, createChanges } from './changes.ts'
import { postgresConnections } from './connections.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresElicitations } from './elicitations.ts'
import { asStoreError } from './errors.ts'
import { postgresGrants } from './grants.ts'
import { migrate, migrations } from './migrations.ts'
import { postgresSteps } from './steps.ts'

/** What may be chosen besides the address. */
export interface PostgresOptions {
  /** How many connections at most, besides the one that listens. */
  readonly connections?: number
}

/** A store for many processes and machines. Needs the package `pg`; makes and migrates its tables in the current schema. */
export async function openPostgresStore(url: string, { connections = 10 }: PostgresOptions = {}): Promise<Store> {
  const database = await openDatabase(url, connections)
  try {
    const channel = await prepare(database)
    const changes = createChanges(database, channel)
    return {
      name: database.name,
      elicitations: postgresElicitations(database, channel),
      changes,
      audit: postgresAudit(database),
      steps: postgresSteps(database),
      browsers: postgresBrowsers(database),
      connections: postgresConnections(database),
      grants: postgresGrants(database),
      async close() {
        changes.close()
        await database.close()
      },
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** On a connection that waits as long as a migration takes. Returns the channel on which changes are told. */
async function prepare(database: Database): Promise<string> {
  const client = database.newClient()
  client.on('error', () => {})
  try {
    await client.connect()
    await migrate(client, migrations)
    return await channelOf(client)
  } catch (error) {
    throw asStoreError(error)
  } finally {
    client.end().catch(() => {})
  }
}
