import { createRequire } from 'node:module'
import type { Dispatcher, Pool as UndiciPool } from 'undici'

// Importing undici by its front door replaces what the built-in fetch sends with. The pool alone does not.
const Pool = createRequire(import.meta.url)('undici/lib/dispatcher/pool.js') as typeof UndiciPool

/** Connections to one origin, kept open between requests. */
export type Connections = Dispatcher

/** Opens no connection before it is needed. Answers may take as long as they take: people are asked meanwhile. */
export function connectionsTo(origin: string, connectTimeout: number): Connections {
  return new Pool(origin, {
    connect: { timeout: connectTimeout },
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  })
}
