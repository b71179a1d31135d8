import type { Clock } from '../base/clock.ts'
import { every } from '../base/repeat.ts'
import { inBackground } from '../base/under-way.ts'
import type { StoreClock } from './store-clock.ts'

const measureEveryMs = 60_000
const checkEveryMs = 5_000
const firstReadings = 3
/** A first reading that is this exact needs no second one. */
const exactMs = 25
/** If the machine's clock moves by more than this against the time that passed, it was set, or the machine was asleep. */
const movedMs = 1_000
/** By how much two clocks drift apart at most, in milliseconds per millisecond. */
const drift = 0.001

export interface MeasuredClockParts {
  /** Asks for the store's time, in milliseconds since 1970. May be slow, and may fail. */
  readTime(): Promise<number>
  /** This machine's own clock. */
  readonly machine: Clock
  /** Milliseconds since some moment, never set. Default: `performance.now`. */
  monotonic?(): number
}

/** The clock of a store on another machine. */
export interface MeasuredClock extends StoreClock {
  /** Measures again. A reading that is less exact than what is known changes nothing. */
  measure(): Promise<void>
  stop(): void
}

/** One reading of the store's clock. */
interface Reading {
  /** The store's time minus the monotonic time. */
  readonly offsetMs: number
  /** How wrong `offsetMs` can be: half of the time that the reading took. */
  readonly errorMs: number
  /** The monotonic time when it was taken. */
  readonly at: number
  /** The machine's time minus the monotonic time, when it was taken. */
  readonly machineOffsetMs: number
}

/**
 * Tells the store's time without asking for it each time: it is measured now and every minute, and counted on by the
 * monotonic time in between. So it keeps its pace when the machine's clock is set, and while the store is down.
 */
export async function measuredClock({
  readTime,
  machine,
  monotonic = () => performance.now(),
}: MeasuredClockParts): Promise<MeasuredClock> {
  const machineOffset = () => machine.now().getTime() - monotonic()

  async function read(): Promise<Reading> {
    const sent = monotonic()
    const time = await readTime()
    const received = monotonic()
    const middle = (sent + received) / 2
    const errorMs = (received - sent) / 2
    return { offsetMs: time - middle, errorMs, at: received, machineOffsetMs: machineOffset() }
  }

  async function measure(): Promise<void> {
    kept = better(kept, await read())
    measuredAt = monotonic()
  }

  /** Often, and without asking the store, so that a machine that wakes up does not go on with the time of yesterday. */
  async function measureIfDue(): Promise<void> {
    const hasMoved = Math.abs(machineOffset() - kept.machineOffsetMs) > movedMs
    if (hasMoved || monotonic() - measuredAt >= measureEveryMs) await measure()
  }

  let kept = await read()
  for (let taken = 1; taken < firstReadings && kept.errorMs > exactMs; taken += 1) kept = better(kept, await read())
  let measuredAt = monotonic()
  // If the store is down, the next check tries again.
  const stop = every(checkEveryMs, measureIfDue, () => {})

  return {
    now: () => new Date(kept.offsetMs + monotonic()),
    after: machine.after,
    machineAheadMs() {
      const aheadMs = machineOffset() - kept.offsetMs
      return Math.sign(aheadMs) * Math.max(0, Math.abs(aheadMs) - errorOf(kept, monotonic()))
    },
    measure,
    stop: () => inBackground(stop()),
  }
}

/** The more exact of two readings; the later one if both cannot be true, because the store's clock was set. */
function better(kept: Reading, next: Reading): Reading {
  const errorMs = errorOf(kept, next.at)
  const disagree = Math.abs(next.offsetMs - kept.offsetMs) > errorMs + next.errorMs
  return disagree || next.errorMs <= errorMs ? next : { ...kept, machineOffsetMs: next.machineOffsetMs }
}

function errorOf({ errorMs, at }: Reading, now: number): number {
  return errorMs + (now - at) * drift
}
