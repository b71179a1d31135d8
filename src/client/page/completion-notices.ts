/** Waits for the server's notification that a page was completed. */
export interface CompletionNotice {
  readonly done: Promise<void>
  /** Stops waiting. */
  forget(): void
}

/** Matches the server's completion notifications with the calls that wait for them, by elicitation id. */
export interface CompletionNotices {
  expect(elicitationId: string): CompletionNotice
  /** Handles `notifications/elicitation/complete`. An id that no call waits for is ignored (E11-21). */
  completed(elicitationId: unknown): void
}

export function createCompletionNotices(): CompletionNotices {
  // Several calls may wait for the same page.
  const waiting = new Map<unknown, Set<() => void>>()
  return {
    expect(elicitationId) {
      let notify = () => {}
      const done = new Promise<void>((resolve) => {
        notify = resolve
      })
      const waiters = waiting.get(elicitationId) ?? new Set()
      waiting.set(elicitationId, waiters.add(notify))
      return {
        done,
        forget() {
          waiters.delete(notify)
          if (waiters.size === 0 && waiting.get(elicitationId) === waiters) waiting.delete(elicitationId)
        },
      }
    },
    completed(elicitationId) {
      for (const notify of waiting.get(elicitationId) ?? []) notify()
      waiting.delete(elicitationId)
    },
  }
}
