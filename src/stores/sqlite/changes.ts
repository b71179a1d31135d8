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

/** What was read from the file, for as long as nothing in it can have changed. */
export interface ReadCache<T> {
  /** What is kept under this key, or else what `read` returns. */
  get(key: string, read: () => T): T
  /** Must be called in every transaction of this process that changes what is read. */
  clear(): void
}

const mostCached = 10_000

/**
 * A cache that is empty again after any write by another process. SQLite counts those for each connection, and tells
 * after a commit at once. It does not count the writes of this connection, which clear the cache themselves.
 */
export function cacheWhileUnchanged<T>(database: SqliteDatabase): ReadCache<T> {
  const version = database.prepare('PRAGMA data_version')
  const kept = new Map<string, T>()
  let seen: unknown
  return {
    get(key, read) {
      // Before reading: what another process writes in between is read, and the version is another one next time.
      const now = version.get()?.data_version
      if (now !== seen || kept.size >= mostCached) kept.clear()
      seen = now
      const known = kept.get(key)
      if (known !== undefined) return known
      const found = read()
      kept.set(key, found)
      return found
    },
    clear: () => kept.clear(),
  }
}
