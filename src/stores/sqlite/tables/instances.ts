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
import type { SqliteChanges } from '../changes.ts'
import { runRead, type SqliteDatabase } from '../driver.ts'
import { columnList, placeholders } from '../sql.ts'
import type { Writer } from '../writer.ts'

/** Instances in SQLite. */
export function sqliteInstances(database: SqliteDatabase, writer: Writer): InstanceStore {
  const columns = columnList(instanceColumns)
  const insert = database.prepare(
    `INSERT OR REPLACE INTO instance (${columns}) VALUES (${placeholders(instanceColumns)})`,
  )
  const list = database.prepare(`SELECT ${columns} FROM instance ORDER BY started_at, id`)
  const remove = database.prepare('DELETE FROM instance WHERE id = ?')
  const unseen = database.prepare(
    'DELETE FROM instance WHERE id IN (SELECT id FROM instance WHERE seen_at < ? LIMIT ?)',
  )
  return {
    async announce(instance) {
      const row = toInstanceRow(instance)
      await writer.writeOne(() => insert.run(...instanceColumns.map((column) => row[column])))
    },
    list: () => runRead(() => list.all().map((row) => fromInstanceRow(row as unknown as InstanceRow))),
    async remove(id) {
      await writer.writeOne(() => remove.run(id))
    },
    deleteUnseen: (moment, limit) => writer.writeOne(() => unseen.run(moment.getTime(), limit)),
  }
}

/** Mail between instances in SQLite. */
export function sqliteMailbox(database: SqliteDatabase, writer: Writer, changes: SqliteChanges): MailboxStore {
  const columns = columnList(mailColumns)
  const count = database.prepare('SELECT count(*) AS count FROM mail WHERE recipient = ?')
  const insert = database.prepare(`INSERT INTO mail (${columns}) VALUES (${placeholders(mailColumns)})`)
  const list = database.prepare(`SELECT ${columns} FROM mail WHERE recipient = ? ORDER BY seq LIMIT ?`)
  const remove = database.prepare('DELETE FROM mail WHERE recipient = ? AND id = ?')
  const old = database.prepare('DELETE FROM mail WHERE seq IN (SELECT seq FROM mail WHERE at < ? LIMIT ?)')
  return {
    async put(mail, most) {
      const row = toMailRow(mail)
      const isKept = await writer.write(() => {
        if (Number(count.get(mail.to)?.count) >= most) return false
        insert.run(...mailColumns.map((column) => row[column]))
        return true
      })
      if (isKept) changes.saved(mailChange(mail.to))
      return isKept
    },
    async take(to, limit, read) {
      if (read.length > 0) {
        await writer.write(() => {
          for (const id of read) remove.run(to, id)
        })
      }
      // Looking needs no lock on the file.
      return runRead(() => list.all(to, limit).map((row) => fromMailRow(row as unknown as MailRow)))
    },
    watch: (to, came) => changes.watch(mailChange(to), came),
    deleteMail: (moment, limit) => writer.writeOne(() => old.run(moment.getTime(), limit)),
  }
}

/** What changed in sessions in SQLite. */
export function sqliteSessions(database: SqliteDatabase, writer: Writer): KeptSessionStore {
  const find = database.prepare('SELECT session, revoked, level, stream, expires_at FROM session WHERE session = ?')
  const save =
    database.prepare(`INSERT INTO session (session, revoked, level, stream, expires_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (session) DO UPDATE SET revoked = max(revoked, excluded.revoked),
      level = coalesce(excluded.level, level), stream = coalesce(excluded.stream, stream), expires_at = excluded.expires_at`)
  const expired = database.prepare(
    'DELETE FROM session WHERE session IN (SELECT session FROM session WHERE expires_at < ? LIMIT ?)',
  )
  return {
    get: (key) =>
      runRead(() => {
        const row = find.get(key)
        return row && fromSessionRow(row as unknown as SessionRow)
      }),
    async save({ key, isRevoked, level, stream, expiresAt }) {
      const values = [key, isRevoked ? 1 : 0, level ?? null, stream ?? null, expiresAt.getTime()]
      await writer.writeOne(() => save.run(...values))
    },
    deleteExpired: (moment, limit) => writer.writeOne(() => expired.run(moment.getTime(), limit)),
  }
}

/** Who holds sessions with upstreams in SQLite. */
export function sqliteHoldings(database: SqliteDatabase, writer: Writer): HoldingStore {
  const columns = columnList(holdingColumns)
  const find = database.prepare(`SELECT ${columns} FROM holding WHERE holding = ?`)
  const add = database.prepare(`INSERT OR IGNORE INTO holding (${columns}) VALUES (${placeholders(holdingColumns)})`)
  const save = database.prepare(
    'UPDATE holding SET holder = ?, sealed_key = ?, box = ?, version = ?, expires_at = ? WHERE holding = ? AND version = ? - 1',
  )
  const expired = database.prepare(
    'DELETE FROM holding WHERE holding IN (SELECT holding FROM holding WHERE expires_at < ? LIMIT ?)',
  )
  return {
    get: (key) =>
      runRead(() => {
        const row = find.get(key)
        return row && fromHoldingRow(row as unknown as HoldingRow)
      }),
    async saveIfUnchanged(next) {
      const row = toHoldingRow(next)
      if (next.version === 1)
        return (await writer.writeOne(() => add.run(...holdingColumns.map((one) => row[one])))) === 1
      const { holding, holder, sealed_key, box, version, expires_at } = row
      return (
        (await writer.writeOne(() => save.run(holder, sealed_key, box, version, expires_at, holding, version))) === 1
      )
    },
    deleteExpired: (moment, limit) => writer.writeOne(() => expired.run(moment.getTime(), limit)),
  }
}
