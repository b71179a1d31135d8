import type { Owned, OwnedStore } from '../../../participant/owned.ts'
import { fromOwnedRow, type OwnedKind, type OwnedRow, ownedColumns, toOwnedRow } from '../../rows/owned.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from '../database.ts'

const row = ownedColumns.join(', ')

const add: PostgresStatement = {
  name: 'assent_owned_add',
  text: `insert into assent_owned (${row}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
}

const getByKey: PostgresStatement = {
  name: 'assent_owned_get_by_key',
  text: `select ${row} from assent_owned where kind = $1 and key = $2`,
}

const list: PostgresStatement = {
  name: 'assent_owned_list',
  text: `select ${row} from assent_owned where kind = $1 and participant = $2 order by seq`,
}

const listFirst: PostgresStatement = {
  name: 'assent_owned_list_first',
  text: `select ${row} from assent_owned where kind = $1 order by seq limit $2`,
}

const listAfter: PostgresStatement = {
  name: 'assent_owned_list_after',
  text: `select ${row} from assent_owned
    where kind = $1 and seq > (select seq from assent_owned where kind = $1 and id = $3) order by seq limit $2`,
}

const remove: PostgresStatement = {
  name: 'assent_owned_remove',
  text: `delete from assent_owned where kind = $1 and participant = $2 and id = $3`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteOver: PostgresStatement = {
  name: 'assent_owned_delete_over',
  text: `
    delete from assent_owned where seq in (
      select seq from assent_owned where kind = $1 and expires_at < $2
      order by expires_at limit $3
      for update skip locked)`,
}

const forget: PostgresStatement = {
  name: 'assent_owned_forget',
  text: `delete from assent_owned where kind = $1 and participant = $2`,
}

/** Records of one kind in PostgreSQL. */
export function postgresOwned<One extends Owned>(database: PostgresDatabase, kind: OwnedKind): OwnedStore<One> {
  async function read(statement: PostgresStatement, values: readonly unknown[]): Promise<One[]> {
    return (await database.query<OwnedRow>(statement, [kind, ...values])).rows.map((one) => fromOwnedRow<One>(one))
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, [kind, ...values])).rowCount ?? 0
  }

  return {
    async add(one) {
      const { kind: _, ...written } = toOwnedRow(kind, one)
      return (await count(add, inOrder(written))) === 1
    },
    getByKey: async (key) => (isStorableText(key) ? (await read(getByKey, [key]))[0] : undefined),
    list: (participant) => read(list, [participant]),
    async listAll(limit, after) {
      if (after === undefined) return read(listFirst, [limit])
      return isStorableText(after) ? read(listAfter, [limit, after]) : []
    },
    remove: async (participant, id) => isStorableText(id) && (await count(remove, [participant, id])) === 1,
    deleteOver: (moment, limit) => count(deleteOver, [moment.getTime(), limit]),
    forget: (participant) => count(forget, [participant]),
  }
}

function inOrder({ id, key, participant, expires_at, details }: Omit<OwnedRow<number>, 'kind'>): unknown[] {
  return [id, key, participant, expires_at, details]
}
