import type { StoreClock } from './store-clock.ts'

/** What is wrong with this machine's clock, and what to do; undefined while it is within `skewMs` of the store's. */
export function clockProblem(clock: StoreClock, skewMs: number): string | undefined {
  const aheadMs = clock.machineAheadMs()
  if (Math.abs(aheadMs) <= skewMs) return undefined
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  const where = aheadMs > 0 ? 'ahead of' : 'behind'
  return `The clock of this machine is ${seconds} s ${where} the clock of the store. Set the one that is wrong, and keep both right with NTP.`
}
