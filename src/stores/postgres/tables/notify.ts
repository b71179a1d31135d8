import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../../base/under-way.ts'
import type { PostgresDatabase, PostgresStatement } from '../database.ts'

const notifyAll: PostgresStatement = {
  name: 'assent_notify',
  text: 'select pg_notify($1, id) from unnest($2::text[]) as given (id)',
}

/** A notification that takes longer keeps no others back, in milliseconds. */
const patienceMs = 100

/**
 * Notifies by a statement of its own, one at a time: a commit with a notification takes a lock for the whole server. What comes
 * while one is under way goes into the next. One that fails is not repeated, as those who wait also poll.
 */
export function gatherNotifications(database: PostgresDatabase, channel: string): (id: string) => void {
  let gathered = new Set<string>()
  let isNotifying = false

  async function notifyGathered(): Promise<void> {
    while (gathered.size > 0) {
      const ids = [...gathered]
      gathered = new Set()
      const notified = database.query(notifyAll, [channel, ids]).catch(() => {})
      await Promise.race([notified, sleep(patienceMs, undefined, { ref: false })])
    }
    isNotifying = false
  }

  return (id) => {
    gathered.add(id)
    if (isNotifying) return
    isNotifying = true
    inBackground(notifyGathered())
  }
}
