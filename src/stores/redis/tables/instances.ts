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
  type MailRow,
  type SessionRow,
  toHoldingRow,
  toInstanceRow,
  toMailRow,
} from '../../rows/instance.ts'
import { mailChange } from '../../watchers.ts'
import type { RedisChanges } from '../changes.ts'
import { recordsIn, rowFromFlat, withNulls, written } from '../records.ts'
import { putMail, putRecord, takeMail } from '../scripts/instances.ts'
import type { RedisServer } from '../server/server.ts'

/** Instances in Redis. */
export function redisInstances(server: RedisServer): InstanceStore {
  const kept = recordsIn(server, 'instance')
  return {
    async announce(instance) {
      const row = toInstanceRow(instance)
      const places = [
        { index: 'started', score: row.started_at },
        { index: 'seen', score: row.seen_at },
      ]
      await kept.run<null>(putRecord, written({ key: row.id, columns: { ...row }, places }))
    },
    async list() {
      const rows = await kept.list(['started'], [0, -1])
      return rows.map((row) => fromInstanceRow(row as unknown as InstanceRow))
    },
    async remove(id) {
      await kept.take(id)
    },
    deleteUnseen: (moment, limit) => kept.deleteBefore('seen', moment, limit),
  }
}

/** Mail between instances in Redis. */
export function redisMailbox(server: RedisServer, changes: RedisChanges): MailboxStore {
  const kept = recordsIn(server, 'mail')
  return {
    async put(mail, most) {
      const row = toMailRow(mail)
      const places = [
        { index: `to:${mail.to}`, score: 'seq' as const },
        { index: 'at', score: row.at },
      ]
      const args = { most: String(most), channel: server.channel, change: mailChange(mail.to) }
      return (
        (await kept.run<number>(putMail, { ...written({ key: row.id, columns: { ...row }, places }), ...args })) === 1
      )
    },
    async take(to, limit, read) {
      const rows = await kept.run<string[][]>(takeMail, { to, index: `to:${to}`, limit: String(limit), read })
      return rows.map((row) => fromMailRow(rowFromFlat(row) as unknown as MailRow))
    },
    watch: (to, came) => changes.watch(mailChange(to), came),
    deleteMail: (moment, limit) => kept.deleteBefore('at', moment, limit),
  }
}

/** What changed in sessions in Redis. */
export function redisSessions(server: RedisServer): KeptSessionStore {
  const kept = recordsIn(server, 'session')
  return {
    async get(key) {
      const row = await kept.get(key)
      return (
        row &&
        fromSessionRow(
          withNulls<SessionRow>({ revoked: '0', ...row }, ['session', 'revoked', 'level', 'stream', 'expires_at']),
        )
      )
    },
    async save({ key, isRevoked, level, stream, expiresAt }) {
      const expires_at = expiresAt.getTime()
      const columns = {
        session: key,
        expires_at,
        ...(isRevoked && { revoked: 1 }),
        ...(level !== undefined && { level }),
        ...(stream !== undefined && { stream }),
      }
      await kept.run<null>(putRecord, written({ key, columns, places: [{ index: 'expires', score: expires_at }] }))
    },
    deleteExpired: (moment, limit) => kept.deleteBefore('expires', moment, limit),
  }
}

/** Who holds sessions with upstreams in Redis. */
export function redisHoldings(server: RedisServer): HoldingStore {
  const kept = recordsIn(server, 'holding')
  return {
    async get(key) {
      const row = await kept.get(key)
      return row && fromHoldingRow(withNulls<HoldingRow>(row, holdingColumns))
    },
    saveIfUnchanged(next) {
      const row = toHoldingRow(next)
      const places = [{ index: 'expires', score: row.expires_at }]
      const version = next.version === 1 ? (false as const) : next.version - 1
      return kept.save({ key: next.key, columns: { ...row }, places }, { version })
    },
    deleteExpired: (moment, limit) => kept.deleteBefore('expires', moment, limit),
  }
}
