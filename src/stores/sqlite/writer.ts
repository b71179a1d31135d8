import type { Database } from './driver.ts'
import { translated } from './errors.ts'

/** Writes to the file: what is asked for at the same time shares one transaction, and is resolved once that is kept. */
export interface Writer {
  /** `work` is kept whole or not at all. It may run more than once, so it changes nothing but the database. */
  write<T>(work: () => T): Promise<T>
  /** Resolves when everything asked for so far is kept. */
  drained(): Promise<void>
}

interface Job {
  work(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

export function createWriter(database: Database): Writer {
  let queue: Job[] = []

  function flush(): void {
    const jobs = queue
    queue = []
    try {
      const results = inTransaction(database, () => jobs.map(({ work }) => work()))
      jobs.forEach((job, index) => {
        job.resolve(results[index])
      })
    } catch (error) {
      if (jobs.length === 1) jobs[0]?.reject(translated(error))
      // One of them failed: each on its own, so that it harms none of the others.
      else for (const job of jobs) alone(job)
    }
  }

  function alone({ work, resolve, reject }: Job): void {
    try {
      resolve(inTransaction(database, work))
    } catch (error) {
      reject(translated(error))
    }
  }

  function enqueue(work: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ work, resolve, reject })
    })
  }

  return {
    write: <T>(work: () => T) => enqueue(work) as Promise<T>,
    async drained() {
      if (queue.length > 0) await enqueue(() => {})
    },
  }
}

/** IMMEDIATE, because a transaction that reads first and then finds another writer cannot go on. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}
