import type { ConnectionStore } from '../../connection/store.ts'
import { AlreadyStored } from '../errors.ts'
import { type ConnectionRow, connectionColumns, fromConnectionRow, toConnectionRow } from '../rows/connection.ts'
import { type FlowRow, flowColumns, fromFlowRow, toFlowRow } from '../rows/flow.ts'
import { checkpoint } from './checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from './driver.ts'
import { runRead } from './driver.ts'
import { columnList, placeholders } from './sql.ts'
import type { Writer } from './writer.ts'

const records = (rows: SqliteRow[]) => rows.map((row) => fromConnectionRow(row as unknown as ConnectionRow))
const flows = (rows: SqliteRow[]) => rows.map((row) => fromFlowRow(row as unknown as FlowRow))

/** Connections and flows in SQLite. */
export function sqliteConnections(database: SqliteDatabase, writer: Writer): ConnectionStore {
  const sql = statements(database)
  return {
    get: (participant, provider) => runRead(() => records(sql.get.all(participant, provider))[0]),
    list: (participant) => runRead(() => records(sql.list.all(participant))),
    listAll: (limit) => runRead(() => records(sql.listAll.all(limit))),
    async put(connection) {
      const row = toConnectionRow(connection)
      await writer.writeOne(() => sql.put.run(...connectionColumns.map((column) => row[column])))
    },
    saveIfUnchanged(next) {
      const { participant, provider, id, version, sealed_key, box, details } = toConnectionRow(next)
      return writer.writeOne(
        () => sql.save.run(version, sealed_key, box, details, participant, provider, id, version - 1) === 1,
      )
    },
    remove: ({ participant, provider, id }) => writer.writeOne(() => sql.remove.run(participant, provider, id) === 1),
    listSealedExcept: (key, limit) => runRead(() => records(sql.sealedExcept.all(key, limit))),
    sealingKeys: () => runRead(() => sql.sealingKeys.all().map(({ sealed_key }) => String(sealed_key))),
    async forget(participant) {
      const deleted = await writer.write(() => {
        sql.forgetFlows.run(participant)
        return sql.forget.run(participant)
      })
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },

    async addFlow(flow) {
      const row = toFlowRow(flow)
      const added = await writer.writeOne(() => sql.addFlow.run(...flowColumns.map((column) => row[column])))
      if (added === 0) throw new AlreadyStored('flow')
    },
    takeFlow: (id) => writer.writeOne(() => flows(sql.takeFlow.all(id))[0]),
    deleteFlows: (moment, limit) => writer.writeOne(() => sql.deleteFlows.run(moment.getTime(), limit)),
  }
}

const columns = columnList(connectionColumns)

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    get: prepare(`SELECT ${columns} FROM connection WHERE participant = ? AND provider = ?`),
    list: prepare(`SELECT ${columns} FROM connection WHERE participant = ? ORDER BY provider`),
    listAll: prepare(`SELECT ${columns} FROM connection LIMIT ?`),
    put: prepare(`
      INSERT INTO connection (${columns}) VALUES (${placeholders(connectionColumns)})
      ON CONFLICT (participant, provider) DO UPDATE SET id = excluded.id, version = excluded.version,
        sealed_key = excluded.sealed_key, box = excluded.box, details = excluded.details`),
    save: prepare(`
      UPDATE connection SET version = ?, sealed_key = ?, box = ?, details = ?
      WHERE participant = ? AND provider = ? AND id = ? AND version = ?`),
    remove: prepare('DELETE FROM connection WHERE participant = ? AND provider = ? AND id = ?'),
    sealedExcept: prepare(`SELECT ${columns} FROM connection WHERE sealed_key <> ? LIMIT ?`),
    sealingKeys: prepare('SELECT sealed_key FROM connection UNION SELECT sealed_key FROM flow'),
    forget: prepare('DELETE FROM connection WHERE participant = ?'),
    forgetFlows: prepare('DELETE FROM flow WHERE participant = ?'),
    addFlow: prepare(
      `INSERT INTO flow (${columnList(flowColumns)}) VALUES (${placeholders(flowColumns)}) ON CONFLICT DO NOTHING`,
    ),
    takeFlow: prepare(`DELETE FROM flow WHERE id = ? RETURNING ${columnList(flowColumns)}`),
    deleteFlows: prepare('DELETE FROM flow WHERE id IN (SELECT id FROM flow WHERE expires_at < ? LIMIT ?)'),
  }
}
