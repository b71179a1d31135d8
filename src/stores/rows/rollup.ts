import type { Rollup, RollupKind, RollupPeriod, RollupSum } from '../../rollup/rollup.ts'
import { fromMs, type IntegerValue } from './values.ts'

/** A count as a row. */
export interface RollupRow<Integer = IntegerValue> {
  period: string
  kind: string
  from_at: Integer
  server: string
  name: string
  outcome: string
  count: Integer
}

export const rollupColumns = ['period', 'kind', 'from_at', 'server', 'name', 'outcome', 'count'] as const

/** The inverse of `fromRollupRow`. */
export function toRollupRow({ period, kind, from, server, name, outcome, count }: Rollup): RollupRow<number> {
  return { period, kind, from_at: from.getTime(), server, name, outcome, count }
}

/** The count of a row. */
export function fromRollupRow({ period, kind, from_at, server, name, outcome, count }: RollupRow): Rollup {
  return {
    period: period as RollupPeriod,
    kind: kind as RollupKind,
    from: fromMs(from_at),
    server,
    name,
    outcome,
    count: Number(count),
  }
}

/** The sum of a row. */
export function fromSumRow({
  server,
  name,
  outcome,
  count,
}: Pick<RollupRow, 'server' | 'name' | 'outcome' | 'count'>): RollupSum {
  return { server, name, outcome, count: Number(count) }
}
