import { type RollupSum, waitBounds } from './rollup.ts'

/**
 * The waiting time that this share of people did not exceed, in milliseconds, as exactly as the buckets tell. Undefined:
 * nobody waited. Longer than the last bound is told as the last bound.
 */
export function waitQuantile(waits: readonly Pick<RollupSum, 'name' | 'count'>[], share: number): number | undefined {
  const counts = new Map(waits.map(({ name, count }) => [name, count]))
  const all = waits.reduce((sum, { count }) => sum + count, 0)
  if (all === 0) return undefined
  let before = 0
  let from = 0
  for (const bound of waitBounds) {
    const here = counts.get(String(bound)) ?? 0
    // Those of one bucket are taken to be spread evenly over it.
    if (here > 0 && before + here >= share * all) {
      return 1_000 * (from + (bound - from) * Math.max(0, (share * all - before) / here))
    }
    before += here
    from = bound
  }
  return 1_000 * from
}
