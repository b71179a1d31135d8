import { inBackground } from '../../../base/under-way.ts'
import type { PostgresDatabase, PostgresStatement } from '../database.ts'

const notifyAll: PostgresStatement = {
  name: 'assent_notify',
  text: 'select pg_notify($1, id) from unnest($2::text[]) as given (id)',
}

const gatherMs = 5

/**
 * Notifies by a statement of its own, for all that came within a few milliseconds: a commit with a notification takes a lock
 * for the whole server. One that fails is not repeated, as those who wait also poll.
 */
export function gatherNotifications(database: PostgresDatabase, channel: string): (id: string) => void {
  let gathered: Set<string> | undefined
  return (id) => {
    if (gathered !== undefined) return void gathered.add(id)
    const mine = new Set([id])
    gathered = mine
    setTimeout(() => {
      gathered = undefined
      inBackground(database.query(notifyAll, [channel, [...mine]]).catch(() => {}))
    }, gatherMs)
  }
}
