import type { ConnectionStore } from '../../connection/store.ts'
import { KeptAlready } from '../errors.ts'
import { type ConnectionRow, connectionColumns, fromConnectionRow, toConnectionRow } from '../rows/connection.ts'
import { canBeKept, type Database, type Statement } from './database.ts'
import { addFlow, deleteFlows, takeFlow } from './flows.ts'

const row = connectionColumns.join(', ')

const get: Statement = {
  name: 'assent_connection_get',
  text: `select ${row} from assent_connection where participant = $1 and provider = $2`,
}

// The same order on every server, whatever language it sorts by.
const list: Statement = {
  name: 'assent_connection_list',
  text: `select ${row} from assent_connection where participant = $1 order by provider collate "C"`,
}

const listAll: Statement = {
  name: 'assent_connection_list_all',
  text: `select ${row} from assent_connection limit $1`,
}

const put: Statement = {
  name: 'assent_connection_put',
  text: `insert into assent_connection (${row}) values ($1, $2, $3, $4, $5, $6, $7)
    on conflict (participant, provider) do update set id = excluded.id, version = excluded.version,
      sealed_key = excluded.sealed_key, box = excluded.box, details = excluded.details`,
}

const save: Statement = {
  name: 'assent_connection_save',
  text: `update assent_connection set version = $4, sealed_key = $5, box = $6, details = $7
    where participant = $1 and provider = $2 and id = $3 and version = $4 - 1`,
}

const remove: Statement = {
  name: 'assent_connection_remove',
  text: `delete from assent_connection where participant = $1 and provider = $2 and id = $3`,
}

const listSealedExcept: Statement = {
  name: 'assent_connection_list_sealed_except',
  text: `select ${row} from assent_connection where sealed_key <> $1 limit $2`,
}

const sealingKeys: Statement = {
  name: 'assent_connection_sealing_keys',
  text: `select sealed_key from assent_connection union select sealed_key from assent_flow`,
}

const forget: Statement = {
  name: 'assent_connection_forget',
  text: `with gone as (delete from assent_flow where participant = $1)
    delete from assent_connection where participant = $1`,
}

/** Connections and flows in PostgreSQL. */
export function postgresConnections(database: Database): ConnectionStore {
  async function read(statement: Statement, values: readonly unknown[]) {
    return (await database.query<ConnectionRow>(statement, values)).rows.map(fromConnectionRow)
  }

  async function count(statement: Statement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async get(participant, provider) {
      return canBeKept(provider) ? (await read(get, [participant, provider]))[0] : undefined
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
      return canBeKept(next.provider + next.id) && (await count(save, values)) === 1
    },
    async remove({ participant, provider, id }) {
      return canBeKept(provider + id) && (await count(remove, [participant, provider, id])) === 1
    },
    listSealedExcept: (key, limit) => read(listSealedExcept, [key, limit]),
    async sealingKeys() {
      const { rows } = await database.query<{ sealed_key: string }>(sealingKeys, [])
      return rows.map(({ sealed_key }) => sealed_key)
    },
    forget: (participant) => count(forget, [participant]),

    async addFlow(flow) {
      if (!(await addFlow(database, flow))) throw new KeptAlready('flow')
    },
    takeFlow: (id) => takeFlow(database, id),
    deleteFlows: (moment, limit) => deleteFlows(database, moment, limit),
  }
}
