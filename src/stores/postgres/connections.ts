import type { ConnectionStore } from '../../connection/store.ts'
import { AlreadyStored } from '../errors.ts'
import { type ConnectionRow, connectionColumns, fromConnectionRow, toConnectionRow } from '../rows/connection.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'
import { addFlowRow, deleteFlowRows, takeFlowRow } from './flows.ts'

const row = connectionColumns.join(', ')

const get: PostgresStatement = {
  name: 'assent_connection_get',
  text: `select ${row} from assent_connection where participant = $1 and provider = $2`,
}

// The same order on every server, whatever its collation.
const list: PostgresStatement = {
  name: 'assent_connection_list',
  text: `select ${row} from assent_connection where participant = $1 order by provider collate "C"`,
}

const listAll: PostgresStatement = {
  name: 'assent_connection_list_all',
  text: `select ${row} from assent_connection limit $1`,
}

const put: PostgresStatement = {
  name: 'assent_connection_put',
  text: `insert into assent_connection (${row}) values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (participant, provider) do update set id = excluded.id, version = excluded.version,
      sealed_key = excluded.sealed_key, box = excluded.box, details = excluded.details`,
}

const save: PostgresStatement = {
  name: 'assent_connection_save',
  text: `update assent_connection set version = $4, sealed_key = $5, box = $6, details = $7
    where participant = $1 and provider = $2 and id = $3 and version = $4 - 1`,
}

const remove: PostgresStatement = {
  name: 'assent_connection_remove',
  text: `delete from assent_connection where participant = $1 and provider = $2 and id = $3`,
}

const listSealedExcept: PostgresStatement = {
  name: 'assent_connection_list_sealed_except',
  text: `select ${row} from assent_connection where sealed_key <> $1 limit $2`,
}

const sealingKeys: PostgresStatement = {
  name: 'assent_connection_sealing_keys',
  text: `select sealed_key from assent_connection union select sealed_key from assent_flow`,
}

const forget: PostgresStatement = {
  name: 'assent_connection_forget',
  text: `with gone as (delete from assent_flow where participant = $1)
    delete from assent_connection where participant = $1`,
}

/** Connections and flows in PostgreSQL. */
export function postgresConnections(database: PostgresDatabase): ConnectionStore {
  async function read(statement: PostgresStatement, values: readonly unknown[]) {
    return (await database.query<ConnectionRow>(statement, values)).rows.map(fromConnectionRow)
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async get(participant, provider) {
      return isStorableText(provider) ? (await read(get, [participant, provider]))[0] : undefined
    },
    list: (participant) => read(list, [participant]),
    listAll: (limit) => read(listAll, [limit]),
    async put(connection) {
      const row = toConnectionRow(connection)
      await database.query(
        put,
        connectionColumns.map((column) => row[column]),
      )
    },
    async saveIfUnchanged(next) {
      const row = toConnectionRow(next)
      const values = connectionColumns.map((column) => row[column])
      return isStorableText(next.provider + next.id) && (await count(save, values)) === 1
    },
    async remove({ participant, provider, id }) {
      return isStorableText(provider + id) && (await count(remove, [participant, provider, id])) === 1
    },
    listSealedExcept: (key, limit) => read(listSealedExcept, [key, limit]),
    async sealingKeys() {
      const { rows } = await database.query<{ sealed_key: string }>(sealingKeys, [])
      return rows.map(({ sealed_key }) => sealed_key)
    },
    forget: (participant) => count(forget, [participant]),

    async addFlow(flow) {
      if (!(await addFlowRow(database, flow))) throw new AlreadyStored('flow')
    },
    takeFlow: (id) => takeFlowRow(database, id),
    deleteFlows: (moment, limit) => deleteFlowRows(database, moment, limit),
  }
}
