import type { Database } from './driver.ts'
import { translated } from './errors.ts'

/** Writes to the file: what is asked for at the same time shares one transaction, and is resolved once that is kept. */
export interface Writer {
  /** `work` is kept whole or not at all. It may run more than once, so it changes nothing but the database. */
  write<T>(work: () => T): Promise<T>
  /** The same for work that changes the file by one statement at most: alone, it needs no transaction around it. */
  writeOne<T>(work: () => T): Promise<T>
  /** Resolves when everything asked for so far is kept. */
  drained(): Promise<void>
}

interface Job {
  work(): unknown
  readonly isOne: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

export function createWriter(database: Database): Writer {
  const inTransaction = transactions(database)
  let queue: Job[] = []

  function flush(): void {
    const jobs = queue
    queue = []
    const [first] = jobs
    if (jobs.length === 1 && first !== undefined) {
      alone(first)
      return
    }
    let begun = false
    try {
      const results = inTransaction(() => {
        begun = true
        return jobs.map(({ work }) => work())
      })
      jobs.forEach((job, index) => {
        job.resolve(results[index])
      })
    } catch (error) {
      // Another process is writing: each on its own would wait as long again, and this process with it.
      if (!begun) {
        for (const { reject } of jobs) reject(translated(error))
        return
      }
      // One of them failed: each on its own, so that it harms none of the others.
      for (const job of jobs) alone(job)
    }
  }

  function alone({ work, isOne, resolve, reject }: Job): void {
    try {
      resolve(isOne ? work() : inTransaction(work))
    } catch (error) {
      reject(translated(error))
    }
  }

  function enqueue(work: () => unknown, isOne = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ work, isOne, resolve, reject })
    })
  }

  return {
    write: <T>(work: () => T) => enqueue(work) as Promise<T>,
    writeOne: <T>(work: () => T) => enqueue(work, true) as Promise<T>,
    async drained() {
      if (queue.length > 0) await enqueue(() => {})
    },
  }
}

/** Runs work whole or not at all. */
export function transactions(database: Database): <T>(work: () => T) => T {
  // IMMEDIATE, because a transaction that reads first and then finds another writer cannot go on.
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  return (work) => {
    begin.run()
    try {
      const result = work()
      commit.run()
      return result
    } catch (error) {
      rollback.run()
      throw error
    }
  }
}
