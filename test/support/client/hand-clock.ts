import { type Clock, systemClock } from '../../../src/base/clock.ts'

/** A clock whose time a test moves by hand, and whose timers run by the machine's own. */
export interface HandClock extends Clock {
  advance(ms: number): void
}

/** However slow the machine is, an answer comes at once, unless the test moves the time. */
export function handClock(): HandClock {
  let now = Date.now()
  return {
    now: () => new Date(now),
    after: systemClock.after,
    advance(ms) {
      now += ms
    },
  }
}
