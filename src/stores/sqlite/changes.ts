import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { createWatchers, type Watchers } from '../watchers.ts'
import type { SqliteDatabase } from './driver.ts'

const pollMs = 100

export interface SqliteChanges extends Changes {
  /** This process saved the elicitation, so its watchers are notified without waiting for the next poll. */
  saved(id: ElicitationId): void
  /** This process deleted elicitations. The poll would not notice, because SQLite counts only the writes of others. */
  deleted(): void
  close(): void
}

/**
 * Notices what other processes saved by polling SQLite's counter of their writes, only while something is watched.
 */
export function createSqliteChanges(database: SqliteDatabase): SqliteChanges {
  const version = database.prepare('PRAGMA data_version')
  const stillOpen = database.prepare(
    "SELECT id, version FROM elicitation WHERE state = 'open' AND id IN (SELECT value FROM json_each(?))",
  )
  const watchers: Watchers = createWatchers()
  let seen: unknown
  let versions = new Map<unknown, number>()
  let timer: NodeJS.Timeout | undefined

  function poll(): void {
    try {
      const now = version.get()?.data_version
      if (now === seen) return
      const watched = watchers.ids()
      const open = new Map(stillOpen.all(JSON.stringify(watched)).map(({ id, version }) => [id, Number(version)]))
      // Elicitations that are settled, deleted, or open with another version than at the last poll.
      for (const id of watched)
        if (!open.has(id) || open.get(id) !== (versions.get(id) ?? open.get(id))) watchers.notify(id)
      versions = open
      seen = now
    } catch {
      // The file is locked or missing for a moment. The next poll finds what this one missed.
    }
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    watch(id, changed) {
      if (timer === undefined) {
        seen = undefined
        timer = setInterval(poll, pollMs)
      }
      const unwatch = watchers.add(id, changed)
      return () => {
        unwatch()
        if (watchers.isEmpty()) stop()
      }
    },
    saved: watchers.notify,
    deleted: watchers.notifyAll,
    close: stop,
  }
}
