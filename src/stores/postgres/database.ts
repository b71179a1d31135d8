import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client, ClientConfig, Pool, QueryResult, QueryResultRow } from 'pg'
import { isUrl } from '../../base/public-address.ts'
import { BadStoreUrl, DriverMissing } from '../errors.ts'
import { asStoreError } from './errors.ts'

const connectMs = 5_000
const replyMs = 30_000
const closeMs = 1_000

/** One SQL statement, prepared once on each connection. */
export interface PostgresStatement {
  readonly name: string
  readonly text: string
}

/** PostgreSQL's text cannot contain U+0000, so a record with such a name cannot exist and must not be queried. */
export function isStorableText(name: string): boolean {
  return !name.includes('\0')
}

/** A PostgreSQL database: a pool for statements, and separate connections on request. */
export interface PostgresDatabase {
  /** Host, port and database, without user and password. */
  readonly name: string
  /** Throws `StoreUnavailable` when the server cannot be reached, does not reply or is going down. */
  query<Row extends QueryResultRow>(statement: PostgresStatement, values: readonly unknown[]): Promise<QueryResult<Row>>
  /** A client outside the pool, not yet connected. It waits for a reply for `replyMs`, or without a limit. */
  newClient(replyMs?: number): Client
  /** Running statements may end within a moment; then every connection is closed, whatever the server does. */
  close(): Promise<void>
}

const mostConnections = 1_000

/** Opens no connection before the first statement. `connections` in the address wins over the one given. */
export async function openPostgres(address: string, given: number): Promise<PostgresDatabase> {
  checkPostgresUrl(address)
  const { url, connections = given } = withoutConnections(address)
  const pg = await loadDriver()
  const sockets = new Set<Socket>()
  const config: ClientConfig = {
    connectionString: url,
    fallback_application_name: 'assent',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    stream: () => track(sockets, new Socket()),
  }
  const name = nameOf(config, pg.Client)
  const pool: Pool = new pg.Pool({ ...config, max: connections, query_timeout: replyMs })
  // A broken idle connection is replaced at the next statement. Without a listener, its error would end the process.
  pool.on('error', () => {})
  let closed: Promise<void> | undefined

  return {
    name,
    async query({ name, text }, values) {
      try {
        return await pool.query({ name, text, values: [...values] })
      } catch (error) {
        throw asStoreError(error)
      }
    },
    newClient: (replyMs) => new pg.Client(replyMs === undefined ? config : { ...config, query_timeout: replyMs }),
    close() {
      closed ??= endPool(pool, sockets)
      return closed
    },
  }
}

async function endPool(pool: Pool, sockets: Set<Socket>): Promise<void> {
  const given = new AbortController()
  await Promise.race([pool.end(), pause(closeMs, undefined, { signal: given.signal }).catch(() => {})])
  given.abort()
  for (const socket of sockets) socket.destroy()
}

function track(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket)
  return socket.once('close', () => sockets.delete(socket))
}

async function loadDriver(): Promise<Pick<typeof import('pg'), 'Client' | 'Pool'>> {
  try {
    return await import('pg')
  } catch (cause) {
    throw new DriverMissing('PostgreSQL', 'pg', cause)
  }
}

// The parser's error quotes the whole address with its password, so it is not passed on.
function checkPostgresUrl(url: string): void {
  if (isUrl(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return
  throw new BadStoreUrl('The address of the store is malformed. Write postgres://user:password@host:port/database')
}

/** The driver does not know `connections`, and a server would refuse it. */
function withoutConnections(address: string): { readonly url: string; readonly connections?: number } {
  const [before = '', query] = address.split('?', 2)
  const words = new URLSearchParams(query)
  const text = words.get('connections')
  if (text === null) return { url: address }
  const connections = Number(text)
  if (!/^\d+$/.test(text) || connections < 1 || connections > mostConnections) {
    throw new BadStoreUrl(`In a postgres: address, connections is a number from 1 to ${mostConnections}.`)
  }
  // Other words stay as they were written: decoding and encoding them again could change them.
  const left = (query ?? '').split('&').filter((word) => !word.startsWith('connections='))
  return { url: left.length === 0 ? before : `${before}?${left.join('&')}`, connections }
}

function nameOf(config: ClientConfig, PgClient: typeof Client): string {
  try {
    const { host, port, database } = new PgClient(config)
    return `postgres://${host.includes(':') ? `[${host}]` : host}:${port}/${database ?? ''}`
  } catch {
    throw new BadStoreUrl('The address of the store cannot be read. Is something in it not percent-encoded?')
  }
}
