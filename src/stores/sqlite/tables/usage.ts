import type { UsageStore } from '../../../approval/limits/usage.ts'
import { runRead, type SqliteDatabase } from '../driver.ts'
import type { Writer } from '../writer.ts'

/** Counts what limits let run in SQLite. */
export function sqliteUsage(database: SqliteDatabase, writer: Writer): UsageStore {
  const prepare = (sql: string) => database.prepare(sql)
  const take = prepare(`
    INSERT INTO usage (id, used, until_at) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET used = usage.used + excluded.used WHERE usage.used + excluded.used <= ?`)
  const find = prepare('SELECT used FROM usage WHERE id = ?')
  const giveBack = prepare('UPDATE usage SET used = max(0, used - ?) WHERE id = ?')
  const remove = prepare('DELETE FROM usage WHERE id IN (SELECT id FROM usage WHERE until_at < ? LIMIT ?)')
  return {
    async take(key, amount, most, until) {
      if (amount > most) return false
      return writer.writeOne(() => take.run(key, amount, until.getTime(), most) === 1)
    },
    used: (keys) => runRead(() => keys.map((key) => Number(find.get(key)?.used ?? 0))),
    async giveBack(key, amount) {
      await writer.writeOne(() => giveBack.run(amount, key))
    },
    deleteUsage: (moment, limit) => writer.writeOne(() => remove.run(moment.getTime(), limit)),
  }
}
