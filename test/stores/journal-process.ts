import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { openAuditLog } from '../../src/audit/log.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { sqliteAudit } from '../../src/stores/sqlite/audit.ts'
import { openSqlite, type SqliteDatabase } from '../../src/stores/sqlite/driver.ts'
import { openJournal } from '../../src/stores/sqlite/journal/journal.ts'
import { createWriter } from '../../src/stores/sqlite/writer.ts'

/**
 * Records events in the SQLite store at this path, packs them, and prints the number of each event when it was told that
 * the event is stored. Kills itself before the step of the given number, where a step is anything that changes a file.
 */
const [, , path = '', keyText = '', killAt = '0'] = process.argv
let steps = Number.NEGATIVE_INFINITY

function step(): void {
  steps += 1
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}

const { writeSync } = fs
const counted = ['openSync', 'ftruncateSync', 'unlinkSync', 'chmodSync'] as const
for (const name of counted) {
  const real = fs[name] as (...given: unknown[]) => unknown
  Object.assign(fs, {
    [name](...given: unknown[]) {
      step()
      return real(...given)
    },
  })
}
// A line may be torn: half of it is written, and then the process is killed.
Object.assign(fs, {
  writeSync(file: number, bytes: Buffer, from: number) {
    step()
    return writeSync(file, bytes, from, from === 0 ? Math.floor(bytes.length / 2) : bytes.length - from)
  },
})
syncBuiltinESMExports()

function countingSteps(database: SqliteDatabase): SqliteDatabase {
  return {
    ...database,
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        ...statement,
        run(...values) {
          step()
          return statement.run(...values)
        },
      }
    },
  }
}

const database = countingSteps(await openSqlite(path))
database.exec('PRAGMA busy_timeout = 5000')
const journal = openJournal(path, database)
const store = sqliteAudit(database, createWriter(database, journal), journal)
const log = openAuditLog({ store, key: Buffer.from(keyText, 'hex'), clock: { now: () => new Date() } })
let recorded = 0

async function record(more: object = {}): Promise<void> {
  recorded += 1
  await log.record({ kind: 'custom:recorded', who: 'alice' as ParticipantId, data: { n: recorded }, ...more })
  writeSync(1, `${recorded}\n`)
}

steps = 0
for (let n = 0; n < 4; n++) await record()
// Reading packs this journal, and the one that another process left.
await store.chains()
await record()
await record()
await record({ keep: { path: '/kept' } })
await record()
await log.close()
await record().catch(() => {})
journal.close()
database.close()
