import type { UsageStore } from '../../../approval/limits/usage.ts'
import type { PostgresDatabase, PostgresStatement } from '../database.ts'

// Of many at once, each waits for the row and then sees what the others added.
const take: PostgresStatement = {
  name: 'assent_usage_take',
  text: `insert into assent_usage (id, used, until_at) values ($1, $2, $3)
    on conflict (id) do update set used = assent_usage.used + excluded.used
      where assent_usage.used + excluded.used <= $4`,
}

const find: PostgresStatement = {
  name: 'assent_usage_find',
  text: 'select id, used from assent_usage where id = any($1)',
}

const giveBack: PostgresStatement = {
  name: 'assent_usage_give_back',
  text: 'update assent_usage set used = greatest(0, used - $2) where id = $1',
}

const remove: PostgresStatement = {
  name: 'assent_usage_delete',
  text: `delete from assent_usage where id in (
    select id from assent_usage where until_at < $1 order by until_at limit $2 for update skip locked)`,
}

/** Counts what limits let run in PostgreSQL. */
export function postgresUsage(database: PostgresDatabase): UsageStore {
  return {
    async take(key, amount, most, until) {
      if (amount > most) return false
      return (await database.query(take, [key, amount, until.getTime(), most])).rowCount === 1
    },
    async used(keys) {
      const { rows } = await database.query<{ id: string; used: string }>(find, [keys])
      return keys.map((key) => Number(rows.find(({ id }) => id === key)?.used ?? 0))
    },
    async giveBack(key, amount) {
      await database.query(giveBack, [key, amount])
    },
    async deleteUsage(moment, limit) {
      return (await database.query(remove, [moment.getTime(), limit])).rowCount ?? 0
    },
  }
}
