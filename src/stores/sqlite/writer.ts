import type { SqliteDatabase } from './driver.ts'
import { translateError } from './driver.ts'

/** Writes to the file. Concurrent writes share one transaction, and resolve when it has been committed. */
export interface Writer {
  /** `work` is committed as a whole or not at all. It may run more than once, so it must change only the database. */
  write<T>(work: () => T): Promise<T>
  /** The same for work that writes by at most one statement: if it runs alone, it needs no transaction. */
  writeOne<T>(work: () => T): Promise<T>
  /**
   * Repeats work that changes at most `limit` rows, each time in a transaction of its own, until it changes fewer. So a
   * long work does not stop the process. Returns how many rows were changed in all.
   */
  writeInSlices(work: (limit: number) => number): Promise<number>
  /** Resolves when all writes so far have been committed. */
  drained(): Promise<void>
}

/** Work that must be committed before, or together with, any other write. */
export interface Prelude {
  isEmpty(): boolean
  /** Does the work, within a transaction. */
  run(): void
  /** Called when it was committed. */
  done(): void
}

interface Job {
  work(): unknown
  readonly isSingleStatement: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** So many rows are changed in some milliseconds. */
const slice = 1_000

/** Without a prelude, nothing is committed before the writes. */
export function createWriter(database: SqliteDatabase, prelude?: Prelude): Writer {
  const inTransaction = transactions(database)
  let queue: Job[] = []

  function firstJob(): Job[] {
    if (prelude === undefined || prelude.isEmpty()) return []
    // If it fails, the prelude is there for the next write.
    return [{ work: prelude.run, isSingleStatement: false, resolve: prelude.done, reject() {} }]
  }

  function flush(): void {
    const jobs = [...firstJob(), ...queue]
    queue = []
    const [first] = jobs
    if (jobs.length === 1 && first !== undefined) {
      runAlone(first)
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
      // Another process is writing. Trying each job alone would block this process just as long again, for each of
      // them.
      if (!begun) {
        for (const { reject } of jobs) reject(translateError(error))
        return
      }
      // One of the jobs failed, so each runs alone and does not affect the others.
      for (const job of jobs) runAlone(job)
    }
  }

  function runAlone({ work, isSingleStatement, resolve, reject }: Job): void {
    try {
      resolve(isSingleStatement ? work() : inTransaction(work))
    } catch (error) {
      reject(translateError(error))
    }
  }

  function enqueue(work: () => unknown, isSingleStatement = false): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ work, isSingleStatement, resolve, reject })
    })
  }

  return {
    write: <T>(work: () => T) => enqueue(work) as Promise<T>,
    writeOne: <T>(work: () => T) => enqueue(work, true) as Promise<T>,
    async writeInSlices(work) {
      for (let all = 0; ; ) {
        const changed = (await enqueue(() => work(slice), true)) as number
        all += changed
        if (changed < slice) return all
      }
    },
    async drained() {
      if (queue.length > 0) await enqueue(() => {})
    },
  }
}

/** Makes a function that runs work in a transaction. */
export function transactions(database: SqliteDatabase): <T>(work: () => T) => T {
  // IMMEDIATE, because a transaction that has read first cannot continue when it then finds another writer.
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
