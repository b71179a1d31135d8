/** Where time comes from. Rules never read it: they are handed a Date. */
export interface Clock {
  now(): Date
  /** Calls `due` once, no sooner than `ms` from now. Returns how to call it off. */
  after(ms: number, due: () => void): () => void
}

// setTimeout overflows past this and would fire at once.
const longestTimer = 2 ** 31 - 1

/** The machine's own time. A pending timer keeps the process alive: whoever waits for an answer is not to exit without it. */
export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, due) {
    if (ms > longestTimer) {
      let callOff = () => {}
      callOff = systemClock.after(longestTimer, () => {
        callOff = systemClock.after(ms - longestTimer, due)
      })
      return () => callOff()
    }
    const timer = setTimeout(due, ms)
    return () => clearTimeout(timer)
  },
}
