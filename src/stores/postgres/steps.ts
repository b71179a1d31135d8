import type { StepStore } from '../../call/step.ts'
import { type FinishedStepRow, fromStepRow, resultOfLostClaim } from '../rows/step.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const claim: PostgresStatement = {
  name: 'assent_step_claim',
  text: `insert into assent_step (walk, name, until_at) values ($1, $2, $3) on conflict (walk, name) do nothing`,
}

// A statement of its own, because the snapshot of the claim may be older than the claim that was first.
const extend: PostgresStatement = {
  name: 'assent_step_extend',
  text: `update assent_step set until_at = greatest(until_at, $3) where walk = $1 and name = $2
    returning walk, name, sealed_key, box`,
}

const finish: PostgresStatement = {
  name: 'assent_step_finish',
  text: `update assent_step set sealed_key = $3, box = $4 where walk = $1 and name = $2 and box is null`,
}

const listSealedExcept: PostgresStatement = {
  name: 'assent_step_list_sealed_except',
  text: `select walk, name, sealed_key, box from assent_step
    where sealed_key is not null and sealed_key <> $1 limit $2`,
}

const reseal: PostgresStatement = {
  name: 'assent_step_reseal',
  text: `update assent_step set sealed_key = $5, box = $6
    where walk = $1 and name = $2 and sealed_key = $3 and box = $4`,
}

const sealingKeys: PostgresStatement = {
  name: 'assent_step_sealing_keys',
  text: `select distinct sealed_key from assent_step where sealed_key is not null`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteSteps: PostgresStatement = {
  name: 'assent_step_delete',
  text: `
    delete from assent_step where (walk, name) in (
      select walk, name from assent_step where until_at < $1
      order by until_at limit $2
      for update skip locked)`,
}

/** Steps in PostgreSQL. */
export function postgresSteps(database: PostgresDatabase): StepStore {
  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async claim({ walkId, name }, until) {
      if ((await count(claim, [walkId, name, until.getTime()])) === 1) return { kind: 'claimed' }
      const { rows } = await database.query<FinishedStepRow>(extend, [walkId, name, until.getTime()])
      return resultOfLostClaim(rows.find(({ box }) => box !== null))
    },

    async finish({ walkId, name }, { key, box }) {
      return isStorableText(walkId + name) && (await count(finish, [walkId, name, key, box])) === 1
    },

    async listSealedExcept(key, limit) {
      return (await database.query<FinishedStepRow>(listSealedExcept, [key, limit])).rows.map(fromStepRow)
    },

    async reseal({ walkId, name }, previous, next) {
      return (await count(reseal, [walkId, name, previous.key, previous.box, next.key, next.box])) === 1
    },

    async sealingKeys() {
      const { rows } = await database.query<{ sealed_key: string }>(sealingKeys, [])
      return rows.map(({ sealed_key }) => sealed_key)
    },

    deleteSteps: (moment, limit) => count(deleteSteps, [moment.getTime(), limit]),
  }
}
