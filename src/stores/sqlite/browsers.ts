import type { BrowserStore } from '../../participant/browser.ts'
import { AlreadyStored } from '../errors.ts'
import { type BrowserRow, browserColumns, fromBrowserRow, toBrowserRow } from '../rows/browser.ts'
import { checkpoint } from './checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from './driver.ts'
import { runRead } from './driver.ts'
import { columnList, placeholders } from './sql.ts'
import type { Writer } from './writer.ts'

const record = (row: SqliteRow) => fromBrowserRow(row as unknown as BrowserRow)

/** Browsers in SQLite. */
export function sqliteBrowsers(database: SqliteDatabase, writer: Writer): BrowserStore {
  const sql = statements(database)
  return {
    async add(browser) {
      const row = toBrowserRow(browser)
      const added = await writer.writeOne(() => sql.insert.run(...browserColumns.map((column) => row[column])))
      if (added === 0) throw new AlreadyStored('browser')
    },
    getByKey: (key) => runRead(() => sql.byKey.all(key).map(record)[0]),
    list: (participant) => runRead(() => sql.list.all(participant).map(record)),
    listLatest: (limit) => runRead(() => sql.listLatest.all(limit).map(record)),
    remove: (participant, id) => writer.writeOne(() => sql.remove.run(participant, id) === 1),
    deleteOver: (moment, limit) => writer.writeOne(() => sql.deleteOver.run(moment.getTime(), limit)),
    async forget(participant) {
      const deleted = await writer.writeOne(() => sql.forget.run(participant))
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },
  }
}

const columns = columnList(browserColumns)

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insert: prepare(`INSERT INTO browser (${columns}) VALUES (${placeholders(browserColumns)}) ON CONFLICT DO NOTHING`),
    byKey: prepare(`SELECT ${columns} FROM browser WHERE key = ?`),
    list: prepare(`SELECT ${columns} FROM browser WHERE participant = ? ORDER BY seq`),
    listLatest: prepare(`SELECT ${columns} FROM browser ORDER BY seq DESC LIMIT ?`),
    remove: prepare('DELETE FROM browser WHERE participant = ? AND id = ?'),
    deleteOver: prepare('DELETE FROM browser WHERE seq IN (SELECT seq FROM browser WHERE expires_at < ? LIMIT ?)'),
    forget: prepare('DELETE FROM browser WHERE participant = ?'),
  }
}
