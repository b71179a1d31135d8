import type { Clock } from '../../../base/clock.ts'

/** Lets through so many a second; the rest is to be dropped. */
export function floodGate(perSecond: number, clock: Clock): () => boolean {
  let second = 0
  let count = 0
  return () => {
    // Asking the clock each time is what a flood would make dear.
    if (count < perSecond && ++count < perSecond) return true
    const now = Math.floor(clock.now().getTime() / 1_000)
    if (now === second) return false
    second = now
    count = 1
    return true
  }
}
