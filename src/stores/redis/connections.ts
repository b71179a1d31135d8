import type { Connection } from '../../connection/connection.ts'
import type { ConnectionStore } from '../../connection/store.ts'
import { AlreadyStored } from '../errors.ts'
import { type ConnectionRow, fromConnectionRow, toConnectionRow } from '../rows/connection.ts'
import { type FlowRow, fromFlowRow, toFlowRow } from '../rows/flow.ts'
import { type ReadRow, recordsIn, sealedPlace, type WrittenRecord } from './records.ts'
import type { RedisServer } from './server/server.ts'

type Owned = Pick<Connection, 'participant' | 'provider'>
const keyOf = ({ participant, provider }: Owned) => JSON.stringify([participant, provider])
const fromRow = (row: ReadRow) => fromConnectionRow(row as unknown as ConnectionRow)

function recordOf(connection: Connection): WrittenRecord {
  const row = toConnectionRow(connection)
  return {
    key: keyOf(connection),
    columns: { ...row },
    places: [{ index: 'all', score: 0 }, { index: `of:${row.participant}`, score: 0 }, ...sealedPlace(row.sealed_key)],
  }
}

/** Connections and flows in Redis. */
export function redisConnections(server: RedisServer): ConnectionStore {
  const kept = recordsIn(server, 'connection')
  const flows = recordsIn(server, 'flow')

  return {
    async get(participant, provider) {
      const row = await kept.get(keyOf({ participant, provider }))
      return row && fromRow(row)
    },
    async list(participant) {
      const all = (await kept.list([`of:${participant}`], [0, -1])).map(fromRow)
      return all.sort((one, other) => (one.provider < other.provider ? -1 : 1))
    },
    async listAll(limit) {
      return limit < 1 ? [] : (await kept.list(['all'], [0, limit - 1])).map(fromRow)
    },
    async put(connection) {
      await kept.save(recordOf(connection), {})
    },
    saveIfUnchanged: (next) => kept.save(recordOf(next), { id: next.id, version: next.version - 1 }),
    async remove(connection) {
      return (await kept.take(keyOf(connection), { id: connection.id })) !== undefined
    },
    async listSealedExcept(key, limit) {
      return (await kept.listSealedExcept(key, limit)).map(fromRow)
    },
    async sealingKeys() {
      const keys = await Promise.all([kept.sealingKeys(), flows.sealingKeys()])
      return [...new Set(keys.flat())]
    },
    async forget(participant) {
      await flows.deleteAll(`of:${participant}`)
      return kept.deleteAll(`of:${participant}`)
    },

    async addFlow(flow) {
      const row = toFlowRow(flow)
      const added = await flows.add({
        key: row.id,
        columns: { ...row },
        places: [
          { index: 'expires', score: row.expires_at },
          { index: `of:${row.participant}`, score: 0 },
          ...sealedPlace(row.sealed_key),
        ],
      })
      if (added.kind !== 'added') throw new AlreadyStored('flow')
    },
    async takeFlow(id) {
      const row = await flows.take(id)
      return row && fromFlowRow(row as unknown as FlowRow)
    },
    deleteFlows: (moment, limit) => flows.deleteBefore('expires', moment, limit),
  }
}
