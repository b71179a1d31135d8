import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { createWatchers, type Watchers } from '../watchers.ts'
import type { Database } from './driver.ts'

const pollMs = 100

export interface SqliteChanges extends Changes {
  /** This process settled it: no need to wait for the next look at the file. */
  settled(id: ElicitationId): void
  /** This process deleted some: SQLite counts only the writes of others. */
  deleted(): void
  close(): void
}

/** Finds what other processes settled by looking at SQLite's own count of their writes, and only while somebody waits. */
export function createChanges(database: Database): SqliteChanges {
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
      // What is settled, and what is gone.
      for (const id of watched) if (!open.has(id)) watchers.ring(id)
      seen = now
    } catch {
      // The file is locked or gone for a moment: the next look finds what this one missed.
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
    settled: watchers.ring,
    deleted: watchers.ringAll,
    close: stop,
  }
}
