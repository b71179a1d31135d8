import type { Rollup, RollupKind, RollupSum } from '../../../rollup/rollup.ts'
import type { RollupSpan, RollupStore } from '../../../rollup/store.ts'

/** Stores counts in memory. */
export function memoryRollups(): RollupStore {
  const kept = new Map<string, Rollup>()

  function within(kind: RollupKind, { period, from, until }: RollupSpan): Rollup[] {
    const all = [...kept.values()].filter((one) => one.kind === kind && one.period === period)
    return all.filter((one) => one.from >= from && one.from < until)
  }

  return {
    async add(rollups) {
      for (const one of rollups) {
        const { period, kind, from, server, name, outcome } = one
        const key = JSON.stringify([period, kind, from.getTime(), server, name, outcome])
        kept.set(key, { ...one, count: (kept.get(key)?.count ?? 0) + one.count })
      }
    },
    async list(kind, span, limit) {
      return within(kind, span)
        .sort((one, other) => one.from.getTime() - other.from.getTime())
        .slice(0, limit)
    },
    async sum(kind, span, limit) {
      return largestFirst(sumsOf(within(kind, span))).slice(0, limit)
    },
    async deleteBefore(period, moment, limit) {
      const old = [...kept].filter(([, one]) => one.period === period && one.from < moment).slice(0, limit)
      for (const [key] of old) kept.delete(key)
      return old.length
    },
  }
}

/** The sums of these counts by server, name and outcome. */
function sumsOf(rollups: readonly RollupSum[]): RollupSum[] {
  const sums = new Map<string, RollupSum>()
  for (const { server, name, outcome, count } of rollups) {
    const key = JSON.stringify([server, name, outcome])
    sums.set(key, { server, name, outcome, count: (sums.get(key)?.count ?? 0) + count })
  }
  return [...sums.values()]
}

function largestFirst(sums: readonly RollupSum[]): RollupSum[] {
  return sums.toSorted((one, other) => other.count - one.count)
}
