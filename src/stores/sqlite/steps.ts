import type { Claimed, StepKey, StepStore } from '../../call/step.ts'
import { type FinishedStepRow, fromStepRow, resultOfLostClaim } from '../rows/step.ts'
import type { SqliteDatabase, SqliteRow } from './driver.ts'
import { runRead } from './driver.ts'
import type { Writer } from './writer.ts'

const finishedRow = (row: SqliteRow) => row as unknown as FinishedStepRow

/** Steps in SQLite. */
export function sqliteSteps(database: SqliteDatabase, writer: Writer): StepStore {
  const sql = statements(database)

  function claim({ walkId, name }: StepKey, until: Date): Claimed {
    if (sql.claim.run(walkId, name, until.getTime()) === 1) return { kind: 'claimed' }
    sql.extend.run(until.getTime(), walkId, name, until.getTime())
    const row = sql.findFinished.get(walkId, name)
    return resultOfLostClaim(row && finishedRow(row))
  }

  return {
    claim: (key, until) => writer.writeOne(() => claim(key, until)),
    finish: ({ walkId, name }, { key, box }) => writer.writeOne(() => sql.finish.run(key, box, walkId, name) === 1),
    listSealedExcept: (key, limit) =>
      runRead(() => sql.sealedExcept.all(key, limit).map((row) => fromStepRow(finishedRow(row)))),
    reseal: ({ walkId, name }, previous, next) =>
      writer.writeOne(() => sql.reseal.run(next.key, next.box, walkId, name, previous.key, previous.box) === 1),
    sealingKeys: () => runRead(() => sql.sealingKeys.all().map(({ sealed_key }) => String(sealed_key))),
    deleteSteps: (moment, limit) => writer.writeOne(() => sql.deleteSteps.run(moment.getTime(), limit)),
  }
}

const columns = 'walk, name, sealed_key, box'

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    claim: prepare('INSERT INTO step (walk, name, until_at) VALUES (?, ?, ?) ON CONFLICT (walk, name) DO NOTHING'),
    extend: prepare('UPDATE step SET until_at = ? WHERE walk = ? AND name = ? AND until_at < ?'),
    findFinished: prepare(`SELECT ${columns} FROM step WHERE walk = ? AND name = ? AND box IS NOT NULL`),
    finish: prepare('UPDATE step SET sealed_key = ?, box = ? WHERE walk = ? AND name = ? AND box IS NULL'),
    sealedExcept: prepare(`SELECT ${columns} FROM step WHERE sealed_key <> ? LIMIT ?`),
    reseal: prepare(
      'UPDATE step SET sealed_key = ?, box = ? WHERE walk = ? AND name = ? AND sealed_key = ? AND box = ?',
    ),
    sealingKeys: prepare('SELECT DISTINCT sealed_key FROM step WHERE sealed_key IS NOT NULL'),
    deleteSteps: prepare('DELETE FROM step WHERE rowid IN (SELECT rowid FROM step WHERE until_at < ? LIMIT ?)'),
  }
}
