import type { Owned, OwnedStore } from '../../../participant/owned.ts'
import { fromOwnedRow, type OwnedKind, type OwnedRow, ownedColumns, toOwnedRow } from '../../rows/owned.ts'
import { checkpoint } from '../checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from '../driver.ts'
import { runRead } from '../driver.ts'
import { columnList, placeholders } from '../sql.ts'
import type { Writer } from '../writer.ts'

/** Records of one kind in SQLite. */
export function sqliteOwned<One extends Owned>(
  database: SqliteDatabase,
  writer: Writer,
  kind: OwnedKind,
): OwnedStore<One> {
  const sql = statements(database)
  const records = (rows: SqliteRow[]) => rows.map((row) => fromOwnedRow<One>(row as unknown as OwnedRow))
  return {
    add(one) {
      const row = toOwnedRow(kind, one)
      return writer.writeOne(() => sql.insert.run(...ownedColumns.map((column) => row[column])) === 1)
    },
    getByKey: (key) => runRead(() => records(sql.byKey.all(kind, key))[0]),
    list: (participant) => runRead(() => records(sql.list.all(kind, participant))),
    listAll: (limit, after) =>
      runRead(() =>
        records(after === undefined ? sql.first.all(kind, limit) : sql.after.all(kind, kind, after, limit)),
      ),
    remove: (participant, id) => writer.writeOne(() => sql.remove.run(kind, participant, id) === 1),
    deleteOver: (moment, limit) => writer.writeOne(() => sql.deleteOver.run(kind, moment.getTime(), limit)),
    async forget(participant) {
      const deleted = await writer.writeOne(() => sql.forget.run(kind, participant))
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },
  }
}

const columns = columnList(ownedColumns)

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insert: prepare(`INSERT INTO owned (${columns}) VALUES (${placeholders(ownedColumns)}) ON CONFLICT DO NOTHING`),
    byKey: prepare(`SELECT ${columns} FROM owned WHERE kind = ? AND key = ?`),
    list: prepare(`SELECT ${columns} FROM owned WHERE kind = ? AND participant = ? ORDER BY seq`),
    first: prepare(`SELECT ${columns} FROM owned WHERE kind = ? ORDER BY seq LIMIT ?`),
    after: prepare(
      `SELECT ${columns} FROM owned WHERE kind = ? AND seq > (SELECT seq FROM owned WHERE kind = ? AND id = ?) ORDER BY seq LIMIT ?`,
    ),
    remove: prepare('DELETE FROM owned WHERE kind = ? AND participant = ? AND id = ?'),
    deleteOver: prepare(
      'DELETE FROM owned WHERE seq IN (SELECT seq FROM owned WHERE kind = ? AND expires_at < ? LIMIT ?)',
    ),
    forget: prepare('DELETE FROM owned WHERE kind = ? AND participant = ?'),
  }
}
