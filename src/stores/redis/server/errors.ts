import { AssentError } from '../../../base/errors.ts'
import { StoreUnavailable } from '../../errors.ts'

// What a server says that cannot serve now: it loads its data, is a replica, has no memory or disk left, is being
// replaced, runs a script that does not end, or does not let us in.
const unavailable =
  /^(LOADING|READONLY|OOM|MISCONF|MASTERDOWN|NOREPLICAS|CLUSTERDOWN|TRYAGAIN|BUSY|NOAUTH|WRONGPASS|NOPERM|MOVED|ASK|UNKILLABLE|ERR max number of clients|ERR AUTH|ERR invalid password)\b/

/** Whether the server does not know a script by its digest: it was restarted, or never had it. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/**
 * Turns errors of a server that is unavailable now, and of the way to it, into `StoreUnavailable`. Errors in our scripts
 * stay as they are.
 */
export function asRedisError(error: unknown): unknown {
  if (error instanceof AssentError || error instanceof TypeError || error instanceof RangeError) return error
  if (!isReply(error)) return new StoreUnavailable(withMessage(error))
  return unavailable.test(error.message) ? new StoreUnavailable(error) : error
}

/** Whatever kept a connection from being made, a reply of the server included. */
export function asUnreachable(error: unknown): StoreUnavailable {
  return new StoreUnavailable(withMessage(error ?? new Error('There is no connection.')))
}

/** An error that the server replied. Those of the driver and the network have other classes, but no code to tell by. */
function isReply(error: unknown): error is Error {
  return error instanceof Error && /^(ErrorReply|SimpleError|BlobError|MultiErrorReply)$/.test(error.constructor.name)
}

/** For a host with several addresses, Node throws an error without a message of its own. */
function withMessage(error: unknown): unknown {
  if (!(error instanceof AggregateError) || error.message !== '') return error
  const parts = error.errors.map((part) => (part instanceof Error ? part.message : String(part)))
  return new Error(parts.join('; '), { cause: error })
}
