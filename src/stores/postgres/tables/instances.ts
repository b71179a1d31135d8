import type { HoldingStore } from '../../../instance/holding.ts'
import type { InstanceStore } from '../../../instance/instance.ts'
import type { KeptSessionStore } from '../../../instance/kept-session.ts'
import type { MailboxStore } from '../../../instance/mailbox.ts'
import {
  fromHoldingRow,
  fromInstanceRow,
  fromMailRow,
  fromSessionRow,
  type HoldingRow,
  holdingColumns,
  type InstanceRow,
  instanceColumns,
  type MailRow,
  mailColumns,
  type SessionRow,
  toHoldingRow,
  toInstanceRow,
  toMailRow,
} from '../../rows/instance.ts'
import { mailChange } from '../../watchers.ts'
import type { PostgresChanges } from '../changes.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from '../database.ts'

const instanceRow = instanceColumns.join(', ')
const mailRow = mailColumns.join(', ')

const announce: PostgresStatement = {
  name: 'assent_instance_announce',
  text: `insert into assent_instance (${instanceRow}) values ($1, $2, $3, $4, $5)
    on conflict (id) do update set started_at = excluded.started_at, seen_at = excluded.seen_at,
      ahead_ms = excluded.ahead_ms, stopping = excluded.stopping`,
}

const listInstances: PostgresStatement = {
  name: 'assent_instance_list',
  text: `select ${instanceRow} from assent_instance order by started_at, id collate "C"`,
}

const removeInstance: PostgresStatement = {
  name: 'assent_instance_remove',
  text: 'delete from assent_instance where id = $1',
}

const deleteUnseen: PostgresStatement = {
  name: 'assent_instance_unseen',
  text: 'delete from assent_instance where id in (select id from assent_instance where seen_at < $1 limit $2)',
}

/** Instances in PostgreSQL. */
export function postgresInstances(database: PostgresDatabase): InstanceStore {
  return {
    async announce(instance) {
      const row = toInstanceRow(instance)
      await database.query(
        announce,
        instanceColumns.map((column) => row[column]),
      )
    },
    async list() {
      return (await database.query<InstanceRow>(listInstances, [])).rows.map(fromInstanceRow)
    },
    async remove(id) {
      await database.query(removeInstance, [id])
    },
    async deleteUnseen(moment, limit) {
      return (await database.query(deleteUnseen, [moment.getTime(), limit])).rowCount ?? 0
    },
  }
}

const putMail: PostgresStatement = {
  name: 'assent_mail_put',
  text: `insert into assent_mail (${mailRow}) select $1, $2, $3, $4, $5
    where (select count(*) from (select from assent_mail where recipient = $2 limit $6) as waiting) < $6`,
}

const takeMail: PostgresStatement = {
  name: 'assent_mail_take',
  text: `with removed as (delete from assent_mail where recipient = $1 and id = any($3))
    select ${mailRow} from assent_mail where recipient = $1 and id <> all($3) order by seq limit $2`,
}

const deleteMail: PostgresStatement = {
  name: 'assent_mail_delete',
  text: `delete from assent_mail where seq in (
    select seq from assent_mail where at < $1 order by seq limit $2 for update skip locked)`,
}

/** Mail between instances in PostgreSQL. */
export function postgresMailbox(
  database: PostgresDatabase,
  changes: PostgresChanges,
  notify: (id: string) => void,
): MailboxStore {
  return {
    async put(mail, most) {
      const row = toMailRow(mail)
      const values = [...mailColumns.map((column) => row[column]), Math.min(most, 2 ** 31)]
      const isKept = (await database.query(putMail, values)).rowCount === 1
      if (isKept) notify(mailChange(mail.to))
      return isKept
    },
    async take(to, limit, read) {
      if (!isStorableText(to)) return []
      return (await database.query<MailRow>(takeMail, [to, limit, read])).rows.map(fromMailRow)
    },
    watch: (to, came) => changes.watch(mailChange(to), came),
    async deleteMail(moment, limit) {
      return (await database.query(deleteMail, [moment.getTime(), limit])).rowCount ?? 0
    },
  }
}

const findSession: PostgresStatement = {
  name: 'assent_session_find',
  text: 'select session, revoked, level, stream, expires_at from assent_session where session = $1',
}

const saveSession: PostgresStatement = {
  name: 'assent_session_save',
  text: `insert into assent_session as kept (session, revoked, level, stream, expires_at) values ($1, $2, $3, $4, $5)
    on conflict (session) do update set revoked = greatest(kept.revoked, excluded.revoked),
      level = coalesce(excluded.level, kept.level), stream = coalesce(excluded.stream, kept.stream),
      expires_at = excluded.expires_at`,
}

const deleteExpired: PostgresStatement = {
  name: 'assent_session_expired',
  text: `delete from assent_session where session in (
    select session from assent_session where expires_at < $1 limit $2)`,
}

/** What changed in sessions in PostgreSQL. */
export function postgresSessions(database: PostgresDatabase): KeptSessionStore {
  return {
    async get(key) {
      if (!isStorableText(key)) return undefined
      const [row] = (await database.query<SessionRow>(findSession, [key])).rows
      return row && fromSessionRow(row)
    },
    async save({ key, isRevoked, level, stream, expiresAt }) {
      const values = [key, isRevoked ? 1 : 0, level ?? null, stream ?? null, expiresAt.getTime()]
      await database.query(saveSession, values)
    },
    async deleteExpired(moment, limit) {
      return (await database.query(deleteExpired, [moment.getTime(), limit])).rowCount ?? 0
    },
  }
}

const findHolding: PostgresStatement = {
  name: 'assent_holding_find',
  text: `select ${holdingColumns.join(', ')} from assent_holding where holding = $1`,
}

const addHolding: PostgresStatement = {
  name: 'assent_holding_add',
  text: `insert into assent_holding (${holdingColumns.join(', ')}) values ($1, $2, $3, $4, $5, $6)
    on conflict (holding) do nothing`,
}

const saveHolding: PostgresStatement = {
  name: 'assent_holding_save',
  text: `update assent_holding set holder = $2, sealed_key = $3, box = $4, version = $5, expires_at = $6
    where holding = $1 and version = $5 - 1`,
}

const deleteHoldings: PostgresStatement = {
  name: 'assent_holding_expired',
  text: `delete from assent_holding where holding in (
    select holding from assent_holding where expires_at < $1 limit $2)`,
}

/** Who holds sessions with upstreams in PostgreSQL. */
export function postgresHoldings(database: PostgresDatabase): HoldingStore {
  return {
    async get(key) {
      if (!isStorableText(key)) return undefined
      const [row] = (await database.query<HoldingRow>(findHolding, [key])).rows
      return row && fromHoldingRow(row)
    },
    async saveIfUnchanged(next) {
      const row = toHoldingRow(next)
      const values = holdingColumns.map((column) => row[column])
      return (await database.query(next.version === 1 ? addHolding : saveHolding, values)).rowCount === 1
    },
    async deleteExpired(moment, limit) {
      return (await database.query(deleteHoldings, [moment.getTime(), limit])).rowCount ?? 0
    },
  }
}
