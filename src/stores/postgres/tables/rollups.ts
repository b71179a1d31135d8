import type { RollupStore } from '../../../rollup/store.ts'
import { fromRollupRow, fromSumRow, type RollupRow, rollupColumns, toRollupRow } from '../../rows/rollup.ts'
import type { PostgresDatabase, PostgresStatement } from '../database.ts'

const columns = rollupColumns.join(', ')

// In one order, so that two processes that add at once never wait for each other.
const add: PostgresStatement = {
  name: 'assent_rollup_add',
  text: `insert into assent_rollup as kept (${columns})
    select period, kind, from_at, server, name, outcome, sum(count) from unnest(
      $1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[]) as given (${columns})
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (period, kind, from_at, server, name, outcome) do update set count = kept.count + excluded.count`,
}

const list: PostgresStatement = {
  name: 'assent_rollup_list',
  text: `select ${columns} from assent_rollup
    where period = $1 and kind = $2 and from_at >= $3 and from_at < $4 order by from_at limit $5`,
}

const sum: PostgresStatement = {
  name: 'assent_rollup_sum',
  text: `select server, name, outcome, sum(count)::bigint as count from assent_rollup
    where period = $1 and kind = $2 and from_at >= $3 and from_at < $4
    group by server, name, outcome order by 4 desc limit $5`,
}

const deleteOld: PostgresStatement = {
  name: 'assent_rollup_old',
  text: `delete from assent_rollup where ctid in (
    select ctid from assent_rollup where period = $1 and from_at < $2 limit $3)`,
}

/** Counts in PostgreSQL. */
export function postgresRollups(database: PostgresDatabase): RollupStore {
  return {
    async add(rollups) {
      const rows = rollups.map(toRollupRow)
      if (rows.length === 0) return
      await database.query(
        add,
        rollupColumns.map((column) => rows.map((row) => row[column])),
      )
    },
    async list(kind, { period, from, until }, limit) {
      const values = [period, kind, from.getTime(), until.getTime(), limit]
      return (await database.query<RollupRow>(list, values)).rows.map(fromRollupRow)
    },
    async sum(kind, { period, from, until }, limit) {
      const values = [period, kind, from.getTime(), until.getTime(), limit]
      return (await database.query<RollupRow>(sum, values)).rows.map(fromSumRow)
    },
    async deleteBefore(period, moment, limit) {
      return (await database.query(deleteOld, [period, moment.getTime(), limit])).rowCount ?? 0
    },
  }
}
