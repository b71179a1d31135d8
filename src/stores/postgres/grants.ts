import { everybody, everyServer } from '../../approval/grant/grant.ts'
import type { GrantStore } from '../../approval/store.ts'
import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import { fromGrantRow, type GrantRow, grantColumns, savedColumns, toGrantRow } from '../rows/grant.ts'
import { toName } from '../rows/values.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const row = grantColumns.join(', ')

const add: PostgresStatement = {
  name: 'assent_grant_add',
  text: `insert into assent_grant (${row}) values (${grantColumns.map((_, index) => `$${index + 1}`).join(', ')})
    on conflict (id) do nothing`,
}

const get: PostgresStatement = {
  name: 'assent_grant_get',
  text: `select ${row} from assent_grant where id = $1`,
}

const save: PostgresStatement = {
  name: 'assent_grant_save',
  text: `
    update assent_grant set ${savedColumns.map((column, index) => `${column} = $${index + 4}`).join(', ')},
      revoked_by = case when $3::text is null then null else coalesce(revoked_by, $3) end
    where id = $1 and version = $2`,
}

// Each list expresses "lasting" by the same condition as its own index: see migrations.ts.
const listFor: PostgresStatement = {
  name: 'assent_grant_list_for',
  text: `
    select ${row} from assent_grant
      where participant = $1 and server = $2 and tool = $3 and requester is null and revoked_at is null
    union all
    select ${row} from assent_grant
      where participant = $1 and server = $2 and tool is null and requester is null and revoked_at is null
    union all
    select ${row} from assent_grant
      where participant = '${everybody}' and server = '${everyServer}' and requester is null and revoked_at is null`,
}

const listOnce: PostgresStatement = {
  name: 'assent_grant_list_once',
  text: `select ${row} from assent_grant
    where requester = $1 and call = $2 and spent_at is null and revoked_at is null order by seq`,
}

const before = (id: string) => `seq < coalesce((select seq from assent_grant where id = ${id}), 9223372036854775807)`

const list: PostgresStatement = {
  name: 'assent_grant_list',
  text: `select ${row} from assent_grant
    where uses = 'many' and participant = $1 and ${before('$3')} order by seq desc limit $2`,
}

const listAll: PostgresStatement = {
  name: 'assent_grant_list_all',
  text: `select ${row} from assent_grant where uses = 'many' and ${before('$2')} order by seq desc limit $1`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteOver: PostgresStatement = {
  name: 'assent_grant_delete_over',
  text: `
    delete from assent_grant where seq in (
      select seq from assent_grant where over_at < $1
      order by over_at limit $2
      for update skip locked)`,
}

const forget: PostgresStatement = {
  name: 'assent_grant_forget',
  text: `
    with renamed as (
      update assent_grant set
        granted_by = case when granted_by = $1 then $2 else granted_by end,
        revoked_by = case when revoked_by = $1 then $2 else revoked_by end
      where participant <> $1 and (granted_by = $1 or revoked_by = $1)
    )
    delete from assent_grant where participant = $1`,
}

/** Grants in PostgreSQL. */
export function postgresGrants(database: PostgresDatabase): GrantStore {
  async function read(statement: PostgresStatement, values: readonly unknown[]) {
    return (await database.query<GrantRow>(statement, values)).rows.map(fromGrantRow)
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async add(grant) {
      const row = toGrantRow(grant)
      const values = grantColumns.map((column) => row[column])
      return (await count(add, values)) === 1
    },
    async get(id) {
      return isStorableText(id) ? (await read(get, [id]))[0] : undefined
    },
    async saveIfUnchanged(next) {
      const row = toGrantRow(next)
      const values = savedColumns.map((column) => row[column])
      return isStorableText(row.id) && (await count(save, [row.id, row.version - 1, row.revoked_by, ...values])) === 1
    },
    listFor: (participant, server, tool) => read(listFor, [participant, toName(server), toName(tool)]),
    // Only a question to the database tells what another process did last, and its answer must be waited for.
    listForAtOnce: () => undefined,
    async listOnce(requester, call) {
      return isStorableText(requester + call) ? read(listOnce, [requester, call]) : []
    },
    list: (participant, limit, after) => read(list, [participant, limit, keptId(after)]),
    listAll: (limit, after) => read(listAll, [limit, keptId(after)]),
    deleteOver: (moment, limit) => count(deleteOver, [moment.getTime(), limit]),
    forget: (participant) => count(forget, [participant, forgottenParticipant]),
  }
}

const keptId = (id: string | undefined) => (id !== undefined && isStorableText(id) ? id : null)
