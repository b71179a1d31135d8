import type { PasskeyStore } from '../../passkey/passkey.ts'
import { fromPasskeyRow, type PasskeyRow, toPasskeyRow } from '../rows/passkey.ts'
import { type ReadRow, recordsIn, type WrittenRecord } from './records.ts'
import type { RedisServer } from './server/server.ts'

const fromRow = (row: ReadRow) => fromPasskeyRow(row as unknown as PasskeyRow)

function recordOf(row: PasskeyRow<number>): WrittenRecord {
  return {
    key: row.id,
    columns: { ...row },
    places: [
      { index: 'all', score: 'seq' },
      { index: `of:${row.participant}`, score: 'seq' },
    ],
    uniques: [`credential:${row.credential}`],
  }
}

/** Passkeys in Redis. */
export function redisPasskeys(server: RedisServer): PasskeyStore {
  const kept = recordsIn(server, 'passkey')

  return {
    async add(passkey) {
      return (await kept.add(recordOf(toPasskeyRow(passkey)))).kind === 'added'
    },
    async list(participant) {
      return (await kept.list([`of:${participant}`], [0, -1])).map(fromRow)
    },
    async listAll(limit, after) {
      const last = after === undefined ? undefined : await kept.get(after)
      if (after !== undefined && last === undefined) return []
      const from = last === undefined ? '-inf' : `(${last['#seq']}`
      return (await kept.list(['all'], [from, '+inf', 'BYSCORE', 'LIMIT', 0, limit])).map(fromRow)
    },
    saveIfUnchanged(next) {
      const row = toPasskeyRow(next)
      const { credential, participant } = row
      return kept.save(recordOf(row), { version: row.version - 1, credential, participant })
    },
    async remove(participant, id) {
      return (await kept.take(id, { participant })) !== undefined
    },
    forget: (participant) => kept.deleteAll(`of:${participant}`),
  }
}
