import type { Clock } from '../base/clock.ts'
import { inBackground } from '../base/under-way.ts'

/** Records the ends of calls later, if the store did not take them when their results were ready. */
export interface LateEnds {
  /** Tries again after a pause, until the store takes it. */
  add(record: () => Promise<void>): void
  /** Tries what is left once more. */
  close(): Promise<void>
}

/** Each pause between two tries is twice as long as the one before, up to the longest. */
const firstPauseMs = 1_000
const longestPauseMs = 60_000
/** Beyond this the oldest are given up: that these calls started is on record. */
const mostLate = 10_000

export function keepLateEnds(clock: Clock): LateEnds {
  const late: (() => Promise<void>)[] = []
  let pauseMs = firstPauseMs
  let callOff: (() => void) | undefined

  function tryLater(): void {
    callOff ??= clock.after(pauseMs, () => inBackground(tryAll()))
  }

  async function tryAll(): Promise<void> {
    for (let record = late[0]; record !== undefined; record = late[0]) {
      try {
        await record()
      } catch {
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
        callOff = undefined
        return tryLater()
      }
      late.shift()
    }
    pauseMs = firstPauseMs
    callOff = undefined
  }

  return {
    add(record) {
      if (late.push(record) > mostLate) late.shift()
      tryLater()
    },
    async close() {
      callOff?.()
      await Promise.allSettled(late.splice(0).map((record) => record()))
    },
  }
}
