import type { PasskeyStore } from '../../../passkey/passkey.ts'
import { fromPasskeyRow, type PasskeyRow, passkeyColumns, toPasskeyRow } from '../../rows/passkey.ts'
import { checkpoint } from '../checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from '../driver.ts'
import { runRead } from '../driver.ts'
import { columnList, placeholders } from '../sql.ts'
import type { Writer } from '../writer.ts'

const records = (rows: SqliteRow[]) => rows.map((row) => fromPasskeyRow(row as unknown as PasskeyRow))

/** Passkeys in SQLite. */
export function sqlitePasskeys(database: SqliteDatabase, writer: Writer): PasskeyStore {
  const sql = statements(database)
  return {
    add(passkey) {
      const row = toPasskeyRow(passkey)
      return writer.writeOne(() => sql.insert.run(...passkeyColumns.map((column) => row[column])) === 1)
    },
    list: (participant) => runRead(() => records(sql.list.all(participant))),
    listAll: (limit, after) =>
      runRead(() => records(after === undefined ? sql.first.all(limit) : sql.after.all(after, limit))),
    saveIfUnchanged(next) {
      const { id, version, details } = toPasskeyRow(next)
      return writer.writeOne(() => sql.save.run(version, details, id, version - 1) === 1)
    },
    remove: (participant, id) => writer.writeOne(() => sql.remove.run(participant, id) === 1),
    async forget(participant) {
      const deleted = await writer.writeOne(() => sql.forget.run(participant))
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },
  }
}

const columns = columnList(passkeyColumns)

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insert: prepare(`INSERT INTO passkey (${columns}) VALUES (${placeholders(passkeyColumns)}) ON CONFLICT DO NOTHING`),
    list: prepare(`SELECT ${columns} FROM passkey WHERE participant = ? ORDER BY seq`),
    first: prepare(`SELECT ${columns} FROM passkey ORDER BY seq LIMIT ?`),
    after: prepare(
      `SELECT ${columns} FROM passkey WHERE seq > (SELECT seq FROM passkey WHERE id = ?) ORDER BY seq LIMIT ?`,
    ),
    save: prepare('UPDATE passkey SET version = ?, details = ? WHERE id = ? AND version = ?'),
    remove: prepare('DELETE FROM passkey WHERE participant = ? AND id = ?'),
    forget: prepare('DELETE FROM passkey WHERE participant = ?'),
  }
}
