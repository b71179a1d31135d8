import type { Clock } from './clock.ts'

const longestTimer = 2 ** 31 - 1

/** True the first time and then once in so long. */
export function atMostEvery(ms: number, clock: Clock): () => boolean {
  let last = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now().getTime()
    if (now - last < ms) return false
    last = now
    return true
  }
}

/** Does it again and again, never twice at once, and never keeps the process alive for it. Returns how to stop. */
export function every(ms: number, work: () => Promise<unknown>, failed: (error: unknown) => void): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let busy = false
  const timer = ms > 0 ? setInterval(tick, Math.min(ms, longestTimer)).unref() : undefined

  function tick(): void {
    if (busy) return
    busy = true
    running = work()
      .catch(failed)
      .finally(() => {
        busy = false
      })
  }

  return async () => {
    clearInterval(timer)
    await running
  }
}
