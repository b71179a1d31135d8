import { createRequire } from 'node:module'
import type { Dispatcher, Pool as UndiciPool } from 'undici'

const load = createRequire(import.meta.url)

/** Connections to one origin, kept open between requests. */
export type ConnectionPool = Dispatcher

/** Opens no connection before it is needed. Responses have no time limit, because people may be asked meanwhile. */
export function openConnectionPool(origin: string, connectTimeout: number): ConnectionPool {
  // Importing undici's main module replaces the dispatcher of the built-in fetch. Importing the pool alone does not.
  const Pool = load('undici/lib/dispatcher/pool.js') as typeof UndiciPool
  return new Pool(origin, {
    connect: { timeout: connectTimeout },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
}
