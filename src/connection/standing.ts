import type { Connection } from './connection.ts'

/** Whether its access token has expired. Without an expiry date it has not. */
function hasExpired({ expiresAt }: Connection, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** Whether its credential may be used without renewal. */
export function isUsable(connection: Connection, now: Date): boolean {
  return connection.standing === 'good' && !hasExpired(connection, now)
}

/** Whether it must be renewed before it is used. */
export function isDue(connection: Connection, now: Date, aheadMs: number): boolean {
  const { renewable, standing, expiresAt, obtained } = connection
  if (!renewable || standing === 'refused') return false
  if (standing === 'doubted') return true
  if (expiresAt === undefined) return false
  // Otherwise a token that lives for less than twice `aheadMs` would be renewed too early, perhaps at every use.
  const ahead = Math.min(aheadMs, (expiresAt.getTime() - obtained.at.getTime()) / 2)
  return now.getTime() >= expiresAt.getTime() - ahead
}

/** Whether the connection has another credential now than it had then. */
export function hasNewCredential(now: Connection, then: Connection): boolean {
  return now.obtained.at.getTime() !== then.obtained.at.getTime() || now.obtained.by !== then.obtained.by
}
