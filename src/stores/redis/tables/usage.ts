import type { UsageStore } from '../../../approval/limits/usage.ts'
import { recordsIn, written } from '../records.ts'
import { giveBackUsage, takeUsage } from '../scripts/usage.ts'
import type { RedisServer } from '../server/server.ts'

/** Counts what limits let run in Redis. */
export function redisUsage(server: RedisServer): UsageStore {
  const kept = recordsIn(server, 'usage')
  return {
    async take(key, amount, most, until) {
      const until_at = until.getTime()
      const record = { key, columns: { used: amount, until_at }, places: [{ index: 'until', score: until_at }] }
      return (await kept.run<number>(takeUsage, { ...written(record), most: String(most) })) === 1
    },
    async used(keys) {
      const rows = await Promise.all(keys.map((key) => kept.get(key)))
      return rows.map((row) => Number(row?.used ?? 0))
    },
    async giveBack(key, amount) {
      await kept.run<number>(giveBackUsage, { key, amount: String(amount) })
    },
    deleteUsage: (moment, limit) => kept.deleteBefore('until', moment, limit),
  }
}
