import type { UsageStore } from '../../../approval/limits/usage.ts'

/** Counts what limits let run in memory. */
export function memoryUsage(): UsageStore {
  const kept = new Map<string, { used: number; until: Date }>()
  return {
    async take(key, amount, most, until) {
      const { used } = kept.get(key) ?? { used: 0 }
      if (used + amount > most) return false
      kept.set(key, { used: used + amount, until })
      return true
    },
    async used(keys) {
      return keys.map((key) => kept.get(key)?.used ?? 0)
    },
    async giveBack(key, amount) {
      const count = kept.get(key)
      if (count !== undefined) count.used = Math.max(0, count.used - amount)
    },
    async deleteUsage(moment, limit) {
      const old = [...kept].filter(([, { until }]) => until < moment).slice(0, limit)
      for (const [key] of old) kept.delete(key)
      return old.length
    },
  }
}
