/** Knows which pages of upstreams were reported as done. */
export interface Completions {
  tell(elicitationId: string): void
  /** Resolves when one of them is done, after `timeoutMs`, or when the signal aborts. */
  wait(ids: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<void>
}

const most = 1_000
/** Upstreams choose the ids, and many are remembered. */
const longestId = 1_024

/** A page may be done before anybody waits for it, so the latest ones are remembered. */
export function createCompletions(): Completions {
  const done = new Set<string>()
  const waiting = new Set<() => void>()
  return {
    tell(id) {
      if (id.length > longestId) return
      done.delete(id)
      done.add(id)
      if (done.size > most) done.delete(done.values().next().value as string)
      for (const look of [...waiting]) look()
    },
    wait: (ids, timeoutMs, signal) =>
      new Promise((resolve) => {
        const isDone = () => ids.some((id) => done.has(id))
        if (isDone() || signal.aborted) return resolve()
        const end = () => {
          clearTimeout(timer)
          waiting.delete(look)
          signal.removeEventListener('abort', end)
          resolve()
        }
        const look = () => {
          if (isDone()) end()
        }
        const timer = setTimeout(end, timeoutMs)
        waiting.add(look)
        signal.addEventListener('abort', end, { once: true })
      }),
  }
}
