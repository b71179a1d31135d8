import type { Owned, OwnedStore } from '../../../participant/owned.ts'
import { fromOwnedRow, type OwnedKind, type OwnedRow, toOwnedRow } from '../../rows/owned.ts'
import { type ReadRow, recordsIn } from '../records.ts'
import type { RedisServer } from '../server/server.ts'

/** Records of one kind in Redis. */
export function redisOwned<One extends Owned>(server: RedisServer, kind: OwnedKind): OwnedStore<One> {
  const kept = recordsIn(server, kind)
  const fromRow = (row: ReadRow) => fromOwnedRow<One>(row as unknown as OwnedRow)

  return {
    async add(one) {
      const row = toOwnedRow(kind, one)
      const added = await kept.add({
        key: row.id,
        columns: { ...row },
        places: [
          { index: 'all', score: 'seq' },
          { index: `of:${row.participant}`, score: 'seq' },
          { index: 'expires', score: row.expires_at },
        ],
        uniques: [`key:${row.key}`],
      })
      return added.kind === 'added'
    },
    async getByKey(key) {
      const row = await kept.find(`key:${key}`)
      return row && fromRow(row)
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
    async remove(participant, id) {
      return (await kept.take(id, { participant })) !== undefined
    },
    deleteOver: (moment, limit) => kept.deleteBefore('expires', moment, limit),
    forget: (participant) => kept.deleteAll(`of:${participant}`),
  }
}
