import { NotDelivered } from './deliver.ts'

/** A few at once, and a bounded number who wait for their turn. */
export interface SendQueue {
  /** Does it when it is its turn. Rejects where it had to make room, or `empty` came first. */
  run(work: () => Promise<void>): Promise<void>
  /** Sends home all that wait for their turn. */
  empty(): void
  /** Resolves when nothing is under way. */
  allDone(): Promise<void>
}

interface Job {
  readonly work: () => Promise<void>
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

/** Where more than `most` wait, the oldest makes room. */
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
          waiting.shift()?.failed(new NotDelivered(`More than ${most} wait: this was dropped.`))
      }),
    empty() {
      for (const { failed } of waiting.splice(0)) failed(new NotDelivered('It was closed before this could be sent.'))
    },
    async allDone() {
      await Promise.all(running)
    },
  }
}
