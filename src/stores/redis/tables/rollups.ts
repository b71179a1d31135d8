import type { Rollup, RollupKind, RollupPeriod, RollupSum } from '../../../rollup/rollup.ts'
import type { RollupSpan, RollupStore } from '../../../rollup/store.ts'
import { rowFromFlat } from '../records.ts'
import { addCounts, deleteCounts, listCounts } from '../scripts/rollups.ts'
import type { RedisServer } from '../server/server.ts'

const table = 'rollup'
const kinds: Readonly<Record<RollupKind, true>> = {
  calls: true,
  tools: true,
  asks: true,
  asked: true,
  waits: true,
  fallbacks: true,
  rules: true,
}

/** Counts in Redis. */
export function redisRollups(server: RedisServer): RollupStore {
  async function read(kind: RollupKind, { period, from, until }: RollupSpan, limit: number): Promise<Rollup[]> {
    const args = {
      group: groupOf(period, kind),
      from: String(from.getTime()),
      until: String(until.getTime()),
      limit: String(Math.min(limit, Number.MAX_SAFE_INTEGER)),
    }
    const found = await server.run<[string, string[]][]>(listCounts, table, args)
    return found.flatMap(([at, fields]) =>
      Object.entries(rowFromFlat(fields)).map(([field, count]) => {
        const [name = '', outcome = '', about = ''] = JSON.parse(field) as string[]
        return { period, kind, from: new Date(Number(at)), server: about, name, outcome, count: Number(count) }
      }),
    )
  }

  return {
    async add(rollups) {
      const counts = rollups.map(({ period, kind, from, server: about, name, outcome, count }) => [
        groupOf(period, kind),
        String(from.getTime()),
        JSON.stringify([name, outcome, about]),
        String(count),
      ])
      if (counts.length > 0) await server.run(addCounts, table, { counts })
    },
    list: async (kind, span, limit) => (await read(kind, span, limit)).slice(0, limit),
    async sum(kind, span, limit) {
      const sums = new Map<string, RollupSum>()
      for (const { server: about, name, outcome, count } of await read(kind, span, Number.MAX_SAFE_INTEGER)) {
        const key = JSON.stringify([about, name, outcome])
        sums.set(key, { server: about, name, outcome, count: (sums.get(key)?.count ?? 0) + count })
      }
      return [...sums.values()].sort((one, other) => other.count - one.count).slice(0, limit)
    },
    deleteBefore: (period, moment, limit) =>
      server.run<number>(deleteCounts, table, {
        groups: Object.keys(kinds).map((kind) => groupOf(period, kind)),
        before: String(moment.getTime()),
        limit: String(limit),
      }),
  }
}

const groupOf = (period: RollupPeriod, kind: string) => `${period}:${kind}`
