/** Waits for the server's word that a page is done. */
export interface Notice {
  readonly done: Promise<void>
  /** Nobody waits for it any more. */
  forget(): void
}

/** The pages that people were sent to, by the ids that the server gave them. */
export interface Pages {
  expect(elicitationId: string): Notice
  /** The server says that it is done. An id that nobody waits for is ignored (E11-21). */
  completed(elicitationId: unknown): void
}

export function createPages(): Pages {
  // Several calls may wait for the same page.
  const waiting = new Map<unknown, Set<() => void>>()
  return {
    expect(elicitationId) {
      let hear = () => {}
      const done = new Promise<void>((resolve) => {
        hear = resolve
      })
      const waiters = waiting.get(elicitationId) ?? new Set()
      waiting.set(elicitationId, waiters.add(hear))
      return {
        done,
        forget() {
          waiters.delete(hear)
          if (waiters.size === 0 && waiting.get(elicitationId) === waiters) waiting.delete(elicitationId)
        },
      }
    },
    completed(elicitationId) {
      for (const hear of waiting.get(elicitationId) ?? []) hear()
      waiting.delete(elicitationId)
    },
  }
}
