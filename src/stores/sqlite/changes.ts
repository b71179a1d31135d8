import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { Changes } from '../../elicitation/store.ts'
import { createWatchers, type Watchers } from '../watchers.ts'
import type { Database } from './driver.ts'

const pollMs = 100

export interface SqliteChanges extends Changes {
  /** This process settled it: no need to wait for the next look at the file. */
  settled(id: ElicitationId): void
  close(): void
}

/** Finds what other processes settled by looking at one number in the file, and only while somebody waits. */
export function createChanges(database: Database): SqliteChanges {
  const counter = database.prepare('SELECT settled FROM counter')
  const settledSince = database.prepare('SELECT id FROM elicitation WHERE settled > ?')
  const watchers: Watchers = createWatchers()
  let seen = 0
  let timer: NodeJS.Timeout | undefined

  const count = () => Number(counter.get()?.settled)

  function poll(): void {
    try {
      const now = count()
      if (now === seen) return
      const rows = settledSince.all(seen)
      // Fewer rows than were settled: some are deleted already, and nobody knows whose.
      if (rows.length < now - seen) watchers.ringAll()
      else for (const { id } of rows) watchers.ring(id as ElicitationId)
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
        seen = count()
        timer = setInterval(poll, pollMs)
      }
      const unwatch = watchers.add(id, changed)
      return () => {
        unwatch()
        if (watchers.isEmpty()) stop()
      }
    },
    settled: watchers.ring,
    close: stop,
  }
}
