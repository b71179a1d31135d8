import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { createWatchers, type Watchers } from '../watchers.ts'
import type { SqliteDatabase } from './driver.ts'

const pollMs = 100

export interface SqliteChanges extends Changes {
  /** This process settled the elicitation, so its watchers are notified without waiting for the next poll. */
  settled(id: ElicitationId): void
  /** This process deleted elicitations. The poll would not notice, because SQLite counts only the writes of others. */
  deleted(): void
  close(): void
}

/**
 * Notices what other processes settled by polling SQLite's counter of their writes, only while something is watched.
 */
export function createSqliteChanges(database: SqliteDatabase): SqliteChanges {
  const version = database.prepare('PRAGMA data_version')
  const stillOpen = database.prepare(
    "SELECT id FROM elicitation WHERE state = 'open' AND id IN (SELECT value FROM json_each(?))",
  )
  const watchers: Watchers = createWatchers()
  let seen: unknown
  let timer: NodeJS.Timeout | undefined

  function poll(): void {
    try {
      const now = version.get()?.data_version
      if (now === seen) return
      const watched = watchers.ids()
      const open = new Set(stillOpen.all(JSON.stringify(watched)).map(({ id }) => id))
      // Elicitations that are settled or deleted.
      for (const id of watched) if (!open.has(id)) watchers.notify(id)
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
    settled: watchers.notify,
    deleted: watchers.notifyAll,
    close: stop,
  }
}
