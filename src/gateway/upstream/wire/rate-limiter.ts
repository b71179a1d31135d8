import type { Clock } from '../../../base/clock.ts'

/** Makes a function that returns true at most `perSecond` times a second. */
export function rateLimiter(perSecond: number, clock: Clock): () => boolean {
  let second = 0
  let count = 0
  return () => {
    // The clock is read only at the limit: reading it for each message would be expensive in a flood.
    if (count < perSecond && ++count < perSecond) return true
    const now = Math.floor(clock.now().getTime() / 1_000)
    if (now === second) return false
    second = now
    count = 1
    return true
  }
}
