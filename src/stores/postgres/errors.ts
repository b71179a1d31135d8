import { AssentError } from '../../base/errors.ts'
import { StoreUnavailable } from '../errors.ts'

// SQLSTATE: 08 connection, 25006 read-only (a standby), 28 login, 3D000 no such database, 40 rolled back after a
// conflict, 53 out of resources, 57 stopped by an operator or a timeout, 58 system error of the server.
const unavailable = /^(08|25006|28|3D000|40|53|57|58)/

/**
 * Turns errors of a server that is unavailable now into `StoreUnavailable`. Errors in our statements stay as they are.
 */
export function asStoreError(error: unknown): unknown {
  if (error instanceof AssentError || error instanceof TypeError || error instanceof RangeError) return error
  const sqlState = sqlStateOf(error)
  if (sqlState !== undefined && !unavailable.test(sqlState)) return error
  return new StoreUnavailable(withMessage(error))
}

/** The SQLSTATE of an error from the server. Errors of the driver and the network have no severity. */
function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/**
 * For a host with several addresses, Node throws an error without a message of its own, so those of its parts are
 * joined.
 */
function withMessage(error: unknown): unknown {
  if (!(error instanceof AggregateError) || error.message !== '') return error
  return new Error(error.errors.map((part) => (part instanceof Error ? part.message : String(part))).join('; '), {
    cause: error,
  })
}
