import { AssentError } from '../../base/errors.ts'
import { StoreUnavailable } from '../errors.ts'

// SQLSTATE: 08 connection, 25006 read-only (a standby), 28 login, 3D000 no such database, 40 rolled back in a
// race, 53 out of resources, 57 stopped by an operator or a time-out, 58 trouble of the server's machine.
const unavailable = /^(08|25006|28|3D000|40|53|57|58)/

/** Tells a server that cannot serve us now from a mistake in what we sent; only the first is worth another try. */
export function asStoreError(error: unknown): unknown {
  if (error instanceof AssentError || error instanceof TypeError || error instanceof RangeError) return error
  const sqlState = sqlStateOf(error)
  if (sqlState !== undefined && !unavailable.test(sqlState)) return error
  return new StoreUnavailable(withMessage(error))
}

/** Only what the server itself said has a severity; the driver and the network speak without. */
function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Node refuses a host of several addresses with an error that says nothing itself: its parts do. */
function withMessage(error: unknown): unknown {
  if (!(error instanceof AggregateError) || error.message !== '') return error
  return new Error(error.errors.map((part) => (part instanceof Error ? part.message : String(part))).join('; '), {
    cause: error,
  })
}
