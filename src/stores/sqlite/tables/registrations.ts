import type { RegistrationStore } from '../../../connection/registration/registration.ts'
import type { DefinitionStore } from '../../../definition/known-definition.ts'
import { type DefinitionRow, definitionColumns, fromDefinitionRow, toDefinitionRow } from '../../rows/definition.ts'
import {
  fromRegistrationRow,
  type RegistrationRow,
  registrationColumns,
  toRegistrationRow,
} from '../../rows/registration.ts'
import { toName } from '../../rows/values.ts'
import type { SqliteDatabase, SqliteRow } from '../driver.ts'
import { runRead } from '../driver.ts'
import { columnList, placeholders } from '../sql.ts'
import type { Writer } from '../writer.ts'

const registrations = (rows: SqliteRow[]) => rows.map((row) => fromRegistrationRow(row as unknown as RegistrationRow))
const definitions = (rows: SqliteRow[]) => rows.map((row) => fromDefinitionRow(row as unknown as DefinitionRow))

/** Registrations in SQLite. */
export function sqliteRegistrations(database: SqliteDatabase, writer: Writer): RegistrationStore {
  const row = columnList(registrationColumns)
  const prepare = (sql: string) => database.prepare(sql)
  const sql = {
    get: prepare(`SELECT ${row} FROM registration WHERE issuer = ? AND resource = ?`),
    list: prepare(`SELECT ${row} FROM registration LIMIT ?`),
    add: prepare(
      `INSERT INTO registration (${row}) VALUES (${placeholders(registrationColumns)}) ON CONFLICT DO NOTHING`,
    ),
    save: prepare(`UPDATE registration SET client_id = ?, version = ?, sealed_key = ?, box = ?, details = ?
      WHERE issuer = ? AND resource = ? AND version = ?`),
    remove: prepare('DELETE FROM registration WHERE issuer = ? AND resource = ? AND client_id = ?'),
    sealedExcept: prepare(`SELECT ${row} FROM registration WHERE sealed_key <> ? LIMIT ?`),
    sealingKeys: prepare('SELECT DISTINCT sealed_key FROM registration'),
  }
  return {
    get: (issuer, resource) => runRead(() => registrations(sql.get.all(toName(issuer), toName(resource)))[0]),
    list: (limit) => runRead(() => registrations(sql.list.all(limit))),
    saveIfUnchanged(next) {
      const made = toRegistrationRow(next)
      if (next.version === 1) {
        return writer.writeOne(() => sql.add.run(...registrationColumns.map((column) => made[column])) === 1)
      }
      const { issuer, resource, client_id, version, sealed_key, box, details } = made
      return writer.writeOne(
        () => sql.save.run(client_id, version, sealed_key, box, details, issuer, resource, version - 1) === 1,
      )
    },
    remove: ({ issuer, resource, clientId }) =>
      writer.writeOne(() => sql.remove.run(toName(issuer), toName(resource), toName(clientId)) === 1),
    listSealedExcept: (key, limit) => runRead(() => registrations(sql.sealedExcept.all(key, limit))),
    sealingKeys: () => runRead(() => sql.sealingKeys.all().map(({ sealed_key }) => String(sealed_key))),
  }
}

/** What is known of tools, in SQLite. */
export function sqliteDefinitions(database: SqliteDatabase, writer: Writer): DefinitionStore {
  const row = columnList(definitionColumns)
  const prepare = (sql: string) => database.prepare(sql)
  const sql = {
    get: prepare(`SELECT ${row} FROM definition WHERE server = ? AND tool = ?`),
    list: prepare(`SELECT ${row} FROM definition WHERE server = ?`),
    listAll: prepare(`SELECT ${row} FROM definition LIMIT ?`),
    add: prepare(`INSERT INTO definition (${row}) VALUES (${placeholders(definitionColumns)}) ON CONFLICT DO NOTHING`),
    save: prepare('UPDATE definition SET version = ?, details = ? WHERE server = ? AND tool = ? AND version = ?'),
    remove: prepare('DELETE FROM definition WHERE server = ? AND tool = ?'),
  }
  return {
    get: (server, tool) => runRead(() => definitions(sql.get.all(toName(server), toName(tool)))[0]),
    list: (server) => runRead(() => definitions(sql.list.all(toName(server)))),
    listAll: (limit) => runRead(() => definitions(sql.listAll.all(limit))),
    saveIfUnchanged(next) {
      const made = toDefinitionRow(next)
      if (next.version === 1) {
        return writer.writeOne(() => sql.add.run(...definitionColumns.map((column) => made[column])) === 1)
      }
      const { server, tool, version, details } = made
      return writer.writeOne(() => sql.save.run(version, details, server, tool, version - 1) === 1)
    },
    remove: (server, tool) => writer.writeOne(() => sql.remove.run(toName(server), toName(tool)) === 1),
  }
}
