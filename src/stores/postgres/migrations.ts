import type { Client } from 'pg'
import { SchemaNewer } from '../errors.ts'
import { asStoreError } from './errors.ts'
import { firstVersion } from './schema/first-version.ts'
import { passkeysAndHub } from './schema/passkeys-and-hub.ts'
import { sharingAndLimits } from './schema/sharing-and-limits.ts'
import type { Migration } from './schema/step.ts'
import { votingToDefinitions } from './schema/voting-to-definitions.ts'

/** All steps, oldest first. */
export const postgresMigrations: readonly Migration[] = [
  ...firstVersion,
  ...passkeysAndHub,
  ...votingToDefinitions,
  ...sharingAndLimits,
]

// Any number that no other program is likely to use as an advisory lock in this database.
const migrationLock = 4_180_202_607

/** Migrates the schema to the last of `steps`. Each step runs once, however many processes start at once. */
export async function migratePostgres(client: Client, steps: readonly Migration[]): Promise<void> {
  const known = steps.at(-1)?.version ?? 0
  try {
    // An up-to-date schema needs no lock and no right to create tables.
    while ((await schemaVersion(client, known)) < known) await applyNextStep(client, steps)
  } catch (error) {
    throw asStoreError(error)
  }
}

async function applyNextStep(client: Client, steps: readonly Migration[]): Promise<void> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
  const version = await schemaVersion(client, steps.at(-1)?.version ?? 0)
  const step = steps.find((step) => step.version > version)
  if (step !== undefined) {
    await client.query(step.sql)
    await client.query('create table if not exists assent_meta (key text primary key, value text not null)')
    await client.query(
      `insert into assent_meta (key, value) values ('schema', $1) on conflict (key) do update set value = excluded.value`,
      [String(step.version)],
    )
  }
  await client.query('commit')
}

async function schemaVersion(client: Client, known: number): Promise<number> {
  // Not to_regclass(): its cache may not know a table that was created while we waited for the lock.
  const there = await client.query(`select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'assent_meta' and nspname = current_schema()`)
  if (there.rowCount === 0) return 0
  const { rows } = await client.query(`select value from assent_meta where key = 'schema'`)
  const version = Number(rows[0]?.value ?? 0)
  if (version > known) throw new SchemaNewer(version, known)
  return version
}
