import type { Connection } from './connection.ts'

/** Whether its access token has ended. Nobody said when: then it has not. */
function isOver({ expiresAt }: Connection, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** Whether its credential may be used as it is. */
export function isUsable(connection: Connection, now: Date): boolean {
  return connection.standing === 'good' && !isOver(connection, now)
}

/** Whether it is to be renewed before it is used. */
export function isDue(connection: Connection, now: Date, aheadMs: number): boolean {
  const { renewable, standing, expiresAt, obtained } = connection
  if (!renewable || standing === 'refused') return false
  if (standing === 'doubted') return true
  if (expiresAt === undefined) return false
  // A token that lives for less than twice `aheadMs` would else be renewed at every use.
  const ahead = Math.min(aheadMs, (expiresAt.getTime() - obtained.at.getTime()) / 2)
  return now.getTime() >= expiresAt.getTime() - ahead
}

/** Whether another credential is kept now than was then. */
export function isObtainedAnew(now: Connection, then: Connection): boolean {
  return now.obtained.at.getTime() !== then.obtained.at.getTime() || now.obtained.by !== then.obtained.by
}
