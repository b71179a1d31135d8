import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { findPostgres, startPostgres } from '../../scripts/private-postgres.js'
import type { PrivateServer } from '../../scripts/start-kept.js'

/** A database that no other test knows. */
export interface FreshDatabase {
  readonly url: string
  /** As a restart looks from here: every connection breaks, again and again for a while. The server, which others use, stays up. */
  restart(downMs?: number): Promise<void>
  drop(): Promise<void>
}

/** A new, empty database on the server that all tests share. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const server = serverUrl()
  const name = `assent_test_${randomBytes(8).toString('hex')}`
  await run(server, `create database ${name}`)

  const url = new URL(server)
  url.pathname = name
  return {
    url: url.href,
    restart: (downMs = 2_000) => breakConnections(server, name, downMs),
    drop: () => run(server, `drop database if exists ${name} with (force)`),
  }
}

/** A server of one's own, for tests that really restart it. On a machine without PostgreSQL's programs, the next best thing. */
export async function privatePostgres(): Promise<PrivateServer> {
  const binaries = findPostgres()
  if (binaries !== undefined) return startPostgres(binaries)

  const { url, restart, drop } = await freshDatabase()
  return { url, restart, stop: drop }
}

function serverUrl(): string {
  const url = process.env.ASSENT_TEST_POSTGRES
  if (url) return url
  throw new Error(
    'This test needs a PostgreSQL. Run it with `npm test -- <file>`, which brings one, or set ASSENT_TEST_POSTGRES to the url of a server where databases may be created.',
  )
}

async function breakConnections(server: string, database: string, downMs: number): Promise<void> {
  const end = Date.now() + downMs
  while (Date.now() < end) {
    await run(server, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database])
    await sleep(20)
  }
}

async function run(url: string, sql: string, values: string[] = []): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql, values)
  } finally {
    await client.end()
  }
}
