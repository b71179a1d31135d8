import type { PasskeyStore } from '../../passkey/passkey.ts'
import { fromPasskeyRow, type PasskeyRow, passkeyColumns, toPasskeyRow } from '../rows/passkey.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const row = passkeyColumns.join(', ')

const add: PostgresStatement = {
  name: 'assent_passkey_add',
  text: `insert into assent_passkey (${row}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
}

const list: PostgresStatement = {
  name: 'assent_passkey_list',
  text: `select ${row} from assent_passkey where participant = $1 order by seq`,
}

const listFirst: PostgresStatement = {
  name: 'assent_passkey_list_first',
  text: `select ${row} from assent_passkey order by seq limit $1`,
}

const listAfter: PostgresStatement = {
  name: 'assent_passkey_list_after',
  text: `select ${row} from assent_passkey
    where seq > (select seq from assent_passkey where id = $2) order by seq limit $1`,
}

const save: PostgresStatement = {
  name: 'assent_passkey_save',
  text: `update assent_passkey set version = $2, details = $3 where id = $1 and version = $2 - 1`,
}

const remove: PostgresStatement = {
  name: 'assent_passkey_remove',
  text: `delete from assent_passkey where participant = $1 and id = $2`,
}

const forget: PostgresStatement = {
  name: 'assent_passkey_forget',
  text: `delete from assent_passkey where participant = $1`,
}

/** Passkeys in PostgreSQL. */
export function postgresPasskeys(database: PostgresDatabase): PasskeyStore {
  async function read(statement: PostgresStatement, values: readonly unknown[]) {
    return (await database.query<PasskeyRow>(statement, values)).rows.map(fromPasskeyRow)
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async add(passkey) {
      const row = toPasskeyRow(passkey)
      const values = passkeyColumns.map((column) => row[column])
      return (await count(add, values)) === 1
    },
    list: (participant) => read(list, [participant]),
    async listAll(limit, after) {
      if (after === undefined) return read(listFirst, [limit])
      return isStorableText(after) ? read(listAfter, [limit, after]) : []
    },
    async saveIfUnchanged(next) {
      const { id, version, details } = toPasskeyRow(next)
      return isStorableText(id) && (await count(save, [id, version, details])) === 1
    },
    async remove(participant, id) {
      return isStorableText(id) && (await count(remove, [participant, id])) === 1
    },
    forget: (participant) => count(forget, [participant]),
  }
}
