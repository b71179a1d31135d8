import type { RollupStore } from '../../../rollup/store.ts'
import { fromRollupRow, fromSumRow, type RollupRow, rollupColumns, toRollupRow } from '../../rows/rollup.ts'
import { runRead, type SqliteDatabase } from '../driver.ts'
import { columnList, placeholders } from '../sql.ts'
import type { Writer } from '../writer.ts'

/** Counts in SQLite. */
export function sqliteRollups(database: SqliteDatabase, writer: Writer): RollupStore {
  const columns = columnList(rollupColumns)
  const add = database.prepare(`INSERT INTO rollup (${columns}) VALUES (${placeholders(rollupColumns)})
    ON CONFLICT (period, kind, from_at, server, name, outcome) DO UPDATE SET count = count + excluded.count`)
  const list = database.prepare(`SELECT ${columns} FROM rollup
    WHERE period = ? AND kind = ? AND from_at >= ? AND from_at < ? ORDER BY from_at LIMIT ?`)
  const sum = database.prepare(`SELECT server, name, outcome, sum(count) AS count FROM rollup
    WHERE period = ? AND kind = ? AND from_at >= ? AND from_at < ?
    GROUP BY server, name, outcome ORDER BY sum(count) DESC LIMIT ?`)
  const old = database.prepare(`DELETE FROM rollup WHERE (period, kind, from_at, server, name, outcome) IN (
    SELECT period, kind, from_at, server, name, outcome FROM rollup WHERE period = ? AND from_at < ? LIMIT ?)`)
  return {
    add: (rollups) =>
      writer.write(() => {
        for (const row of rollups.map(toRollupRow)) add.run(...rollupColumns.map((column) => row[column]))
      }),
    list: (kind, { period, from, until }, limit) =>
      runRead(() => {
        const rows = list.all(period, kind, from.getTime(), until.getTime(), limit)
        return rows.map((row) => fromRollupRow(row as unknown as RollupRow))
      }),
    sum: (kind, { period, from, until }, limit) =>
      runRead(() => {
        const rows = sum.all(period, kind, from.getTime(), until.getTime(), limit)
        return rows.map((row) => fromSumRow(row as unknown as RollupRow))
      }),
    deleteBefore: (period, moment, limit) => writer.writeOne(() => old.run(period, moment.getTime(), limit)),
  }
}
