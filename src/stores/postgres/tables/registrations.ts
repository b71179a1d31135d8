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
import type { PostgresDatabase, PostgresStatement } from '../database.ts'

const registrationRow = registrationColumns.join(', ')
const definitionRow = definitionColumns.join(', ')

const registrationStatements = {
  get: {
    name: 'assent_registration_get',
    text: `select ${registrationRow} from assent_registration where issuer = $1 and resource = $2`,
  },
  list: { name: 'assent_registration_list', text: `select ${registrationRow} from assent_registration limit $1` },
  add: {
    name: 'assent_registration_add',
    text: `insert into assent_registration (${registrationRow}) values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
  },
  save: {
    name: 'assent_registration_save',
    text: `update assent_registration set client_id = $3, version = $4, sealed_key = $5, box = $6, details = $7
      where issuer = $1 and resource = $2 and version = $4 - 1`,
  },
  remove: {
    name: 'assent_registration_remove',
    text: 'delete from assent_registration where issuer = $1 and resource = $2 and client_id = $3',
  },
  sealedExcept: {
    name: 'assent_registration_sealed_except',
    text: `select ${registrationRow} from assent_registration where sealed_key <> $1 limit $2`,
  },
  sealingKeys: {
    name: 'assent_registration_sealing_keys',
    text: 'select distinct sealed_key from assent_registration',
  },
} satisfies Record<string, PostgresStatement>

/** Registrations in PostgreSQL. */
export function postgresRegistrations(database: PostgresDatabase): RegistrationStore {
  const sql = registrationStatements
  const read = async (statement: PostgresStatement, values: readonly unknown[]) =>
    (await database.query<RegistrationRow>(statement, values)).rows.map(fromRegistrationRow)
  return {
    get: async (issuer, resource) => (await read(sql.get, [toName(issuer), toName(resource)]))[0],
    list: (limit) => read(sql.list, [limit]),
    async saveIfUnchanged(next) {
      const row = toRegistrationRow(next)
      const values = registrationColumns.map((column) => row[column])
      return (await database.query(next.version === 1 ? sql.add : sql.save, values)).rowCount === 1
    },
    async remove({ issuer, resource, clientId }) {
      const values = [toName(issuer), toName(resource), toName(clientId)]
      return (await database.query(sql.remove, values)).rowCount === 1
    },
    listSealedExcept: (key, limit) => read(sql.sealedExcept, [key, limit]),
    async sealingKeys() {
      const { rows } = await database.query<{ sealed_key: string }>(sql.sealingKeys, [])
      return rows.map(({ sealed_key }) => sealed_key)
    },
  }
}

const definitionStatements = {
  get: {
    name: 'assent_definition_get',
    text: `select ${definitionRow} from assent_definition where server = $1 and tool = $2`,
  },
  list: { name: 'assent_definition_list', text: `select ${definitionRow} from assent_definition where server = $1` },
  listAll: { name: 'assent_definition_list_all', text: `select ${definitionRow} from assent_definition limit $1` },
  add: {
    name: 'assent_definition_add',
    text: `insert into assent_definition (${definitionRow}) values ($1, $2, $3, $4) on conflict do nothing`,
  },
  save: {
    name: 'assent_definition_save',
    text: 'update assent_definition set version = $3, details = $4 where server = $1 and tool = $2 and version = $3 - 1',
  },
  remove: {
    name: 'assent_definition_remove',
    text: 'delete from assent_definition where server = $1 and tool = $2',
  },
} satisfies Record<string, PostgresStatement>

/** What is known of tools, in PostgreSQL. */
export function postgresDefinitions(database: PostgresDatabase): DefinitionStore {
  const sql = definitionStatements
  const read = async (statement: PostgresStatement, values: readonly unknown[]) =>
    (await database.query<DefinitionRow>(statement, values)).rows.map(fromDefinitionRow)
  return {
    get: async (server, tool) => (await read(sql.get, [toName(server), toName(tool)]))[0],
    list: (server) => read(sql.list, [toName(server)]),
    listAll: (limit) => read(sql.listAll, [limit]),
    async saveIfUnchanged(next) {
      const row = toDefinitionRow(next)
      const values = definitionColumns.map((column) => row[column])
      return (await database.query(next.version === 1 ? sql.add : sql.save, values)).rowCount === 1
    },
    async remove(server, tool) {
      return (await database.query(sql.remove, [toName(server), toName(tool)])).rowCount === 1
    },
  }
}
