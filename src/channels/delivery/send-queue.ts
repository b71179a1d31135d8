import { NotDelivered } from './retry.ts'

/** Runs a few jobs at once and queues a bounded number of others. */
export interface SendQueue {
  /** Runs the job when there is room. Rejects with `NotDelivered` if the job is dropped from the queue. */
  run(work: () => Promise<void>): Promise<void>
  /** Drops all queued jobs. */
  empty(): void
  /** Resolves when no job is running. */
  allDone(): Promise<void>
}

interface Job {
  readonly work: () => Promise<void>
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** With more than `most` jobs queued, the oldest is dropped. */
export function createSendQueue(atOnce: number, most: number): SendQueue {
  const waiting: Job[] = []
  const running = new Set<Promise<void>>()

  function start({ work, done, failed }: Job): void {
    const end = work()
      .then(done, failed)
      .then(() => {
        running.delete(end)
        const next = waiting.shift()
        if (next !== undefined) start(next)
      })
    running.add(end)
  }

  return {
    run: (work) =>
      new Promise((done, failed) => {
        const job = { work, done, failed }
        if (running.size < atOnce) return start(job)
        waiting.push(job)
        if (waiting.length > most)
          waiting
            .shift()
            ?.failed(new NotDelivered(`More than ${most} messages were queued, so the oldest was dropped.`))
      }),
    empty() {
      for (const { failed } of waiting.splice(0))
        failed(new NotDelivered('The channel was closed before this could be sent.'))
    },
    async allDone() {
      await Promise.all(running)
    },
  }
}
