import type { Clock } from '../base/clock.ts'

/** A clock that stands still until a test moves it. */
export interface FixedClock extends Clock {
  /** Moves the time forward. Timers that are due are called in order, each at its own time. */
  advance(ms: number): void
}

export function fixedClock(start: Date | string = '2026-01-01T00:00:00.000Z'): FixedClock {
  let now = new Date(start).getTime()
  const timers = new Set<{ at: number; due: () => void }>()

  return {
    now: () => new Date(now),
    after(ms, due) {
      const timer = { at: now + ms, due }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.due()
      }
      now = end
    },
  }
}
