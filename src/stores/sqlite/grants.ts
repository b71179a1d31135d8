import { everybody, everyServer, type Grant } from '../../approval/grant/grant.ts'
import type { GrantStore } from '../../approval/store.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { fromGrantRow, type GrantRow, grantColumns, savedColumns, toGrantRow } from '../rows/grant.ts'
import { toName } from '../rows/values.ts'
import { cacheWhileUnchanged } from './changes.ts'
import { checkpoint } from './checkpoint.ts'
import type { SqliteDatabase, SqliteRow } from './driver.ts'
import { runRead } from './driver.ts'
import { columnList, placeholders } from './sql.ts'
import type { Writer } from './writer.ts'

const records = (rows: SqliteRow[]) => rows.map((row) => fromGrantRow(row as unknown as GrantRow))

/** Grants in SQLite. */
export function sqliteGrants(database: SqliteDatabase, writer: Writer): GrantStore {
  const sql = statements(database)
  const cache = cacheWhileUnchanged<readonly Grant[]>(database)

  function listFor(participant: ParticipantId, server: string, tool: string): readonly Grant[] {
    // With the lengths, no two lists of names give the same key.
    const key = `${participant.length} ${server.length} ${participant}${server}${tool}`
    const [serverName, toolName] = [toName(server), toName(tool)]
    return cache.get(key, () => records(sql.listFor.all(participant, serverName, toolName, participant, serverName)))
  }

  function add(grant: Grant): boolean {
    cache.clear()
    const row = toGrantRow(grant)
    return sql.insert.run(...grantColumns.map((column) => row[column])) === 1
  }

  function save(next: Grant): boolean {
    cache.clear()
    const row = toGrantRow(next)
    const values = savedColumns.map((column) => row[column])
    return sql.save.run(...values, row.revoked_by, row.revoked_by, row.id, row.version - 1) === 1
  }

  return {
    add: (grant) => writer.writeOne(() => add(grant)),
    get: (id) => runRead(() => records(sql.get.all(id))[0]),
    saveIfUnchanged: (next) => writer.writeOne(() => save(next)),
    listFor: (participant, server, tool) => runRead(() => listFor(participant, server, tool)),
    listForAtOnce(participant, server, tool) {
      try {
        return listFor(participant, server, tool)
      } catch {
        // `listFor` tells what is wrong.
        return undefined
      }
    },
    listOnce: (requester, call) => runRead(() => records(sql.listOnce.all(requester, call))),
    list: (participant, limit, after) => runRead(() => records(sql.list.all(participant, after ?? '', limit))),
    listAll: (limit, after) => runRead(() => records(sql.listAll.all(after ?? '', limit))),
    deleteOver: (moment, limit) =>
      writer.writeOne(() => {
        cache.clear()
        return sql.deleteOver.run(moment.getTime(), limit)
      }),
    async forget(participant) {
      const deleted = await writer.write(() => {
        cache.clear()
        sql.forgetGiver.run(forgottenParticipant, participant)
        sql.forgetRevoker.run(forgottenParticipant, participant)
        return sql.forget.run(participant)
      })
      // Deleted data must not stay in the write-ahead log.
      checkpoint(database, 'TRUNCATE')
      return deleted
    },
  }
}

const columns = columnList(grantColumns)
const lasting = 'requester IS NULL AND revoked_at IS NULL'
const before = 'seq < coalesce((SELECT seq FROM "grant" WHERE id = ?), 9223372036854775807)'

function statements(database: SqliteDatabase) {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insert: prepare(
      `INSERT INTO "grant" (${columns}) VALUES (${placeholders(grantColumns)}) ON CONFLICT (id) DO NOTHING`,
    ),
    get: prepare(`SELECT ${columns} FROM "grant" WHERE id = ?`),
    save: prepare(`
      UPDATE "grant" SET ${savedColumns.map((column) => `${column} = ?`).join(', ')},
        revoked_by = CASE WHEN ? IS NULL THEN NULL ELSE coalesce(revoked_by, ?) END
      WHERE id = ? AND version = ?`),
    // Three queries, because the index would serve one WHERE with OR only in part.
    listFor: prepare(`
      SELECT ${columns} FROM "grant" WHERE participant = ? AND server = ? AND tool = ? AND ${lasting}
      UNION ALL
      SELECT ${columns} FROM "grant" WHERE participant = ? AND server = ? AND tool IS NULL AND ${lasting}
      UNION ALL
      SELECT ${columns} FROM "grant" WHERE participant = '${everybody}' AND server = '${everyServer}' AND ${lasting}`),
    listOnce: prepare(`
      SELECT ${columns} FROM "grant" WHERE requester = ? AND call = ? AND spent_at IS NULL AND revoked_at IS NULL
      ORDER BY seq`),
    list: prepare(`
      SELECT ${columns} FROM "grant" WHERE uses = 'many' AND participant = ? AND ${before} ORDER BY seq DESC LIMIT ?`),
    listAll: prepare(`SELECT ${columns} FROM "grant" WHERE uses = 'many' AND ${before} ORDER BY seq DESC LIMIT ?`),
    deleteOver: prepare('DELETE FROM "grant" WHERE seq IN (SELECT seq FROM "grant" WHERE over_at < ? LIMIT ?)'),
    forget: prepare('DELETE FROM "grant" WHERE participant = ?'),
    // Their own are deleted.
    forgetGiver: prepare('UPDATE "grant" SET granted_by = ? WHERE granted_by = ? AND granted_by <> participant'),
    forgetRevoker: prepare('UPDATE "grant" SET revoked_by = ? WHERE revoked_by = ? AND revoked_by <> participant'),
  }
}
