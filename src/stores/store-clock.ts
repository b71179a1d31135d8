import { type Clock, systemClock } from '../base/clock.ts'

/** The time by which everybody who shares a store judges what is over. */
export interface StoreClock extends Clock {
  /**
   * How far this machine's own clock is ahead of the store's, in milliseconds; negative if it is behind. It is never more
   * than was measured for sure.
   */
  machineAheadMs(): number
}

/** The clock of a store that only one machine uses: the machine's own. */
export const systemStoreClock: StoreClock = { ...systemClock, machineAheadMs: () => 0 }
