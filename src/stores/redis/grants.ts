import { everybody, everyServer, type Grant } from '../../approval/grant/grant.ts'
import type { GrantStore } from '../../approval/store.ts'
import { fromGrantRow, type GrantRow, grantColumns, toGrantRow } from '../rows/grant.ts'
import { type Place, type ReadRow, recordsIn, type WrittenRecord, withNulls } from './records.ts'
import type { RedisServer } from './server/server.ts'

const fromRow = (row: ReadRow) => fromGrantRow(withNulls<GrantRow>(row, grantColumns))

const forEverybody = 'for everybody'
const forCalls = (participant: string, server: string, tool: string | undefined) =>
  `for:${JSON.stringify([participant, server, tool ?? null])}`
const forCall = (requester: string, call: string) => `once:${JSON.stringify([requester, call])}`

/** Grants in Redis. */
export function redisGrants(redis: RedisServer): GrantStore {
  const kept = recordsIn(redis, 'grant')

  async function page(index: string, limit: number, after: string | undefined): Promise<Grant[]> {
    const last = after === undefined ? undefined : await kept.get(after)
    const from = last === undefined ? '+inf' : `(${last['#seq']}`
    return (await kept.list([index], [from, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, limit])).map(fromRow)
  }

  return {
    async add(grant) {
      return (await kept.add(recordOf(grant))).kind === 'added'
    },
    async get(id) {
      const row = await kept.get(id)
      return row && fromRow(row)
    },
    saveIfUnchanged(next) {
      const { columns, ...record } = recordOf(next)
      const { granted_by, revoked_by, ...saved } = columns
      // A save must not restore a name that was forgotten meanwhile.
      const names = { granted_by: granted_by ?? null, revoked_by: revoked_by ?? null }
      return kept.save({ ...record, columns: saved, first: names }, { version: next.version - 1 })
    },
    async listFor(participant, server, tool) {
      const indexes = [forCalls(participant, server, tool), forCalls(participant, server, undefined), forEverybody]
      return (await kept.list(indexes, [0, -1], Number.MAX_SAFE_INTEGER)).map(fromRow)
    },
    // Only a question to the server tells what another process did last, and its answer must be waited for.
    listForAtOnce: () => undefined,
    async listOnce(requester, call) {
      return (await kept.list([forCall(requester, call)], [0, -1])).map(fromRow)
    },
    list: (participant, limit, after) => page(`lasting of:${participant}`, limit, after),
    listAll: (limit, after) => page('lasting', limit, after),
    deleteOver: (moment, limit) => kept.deleteBefore('over', moment, limit),
    async forget(participant) {
      const deleted = await kept.deleteAll(`of:${participant}`)
      await kept.forgetName(participant, ['granted_by', 'revoked_by'])
      return deleted
    },
  }
}

function recordOf(grant: Grant): WrittenRecord {
  const row = toGrantRow(grant)
  return { key: row.id, columns: { ...row }, places: placesOf(grant, row), names: ['granted_by', 'revoked_by'] }
}

function placesOf({ participant, server, tool, uses, revoked }: Grant, row: GrantRow<number>): Place[] {
  const always: Place[] = [
    { index: `of:${participant}`, score: 'seq' },
    ...(row.over_at === null ? [] : [{ index: 'over', score: row.over_at }]),
  ]
  if (uses.kind === 'once') {
    const isUsable = uses.spent === undefined && revoked === undefined
    return isUsable ? [...always, { index: forCall(uses.requester, uses.call), score: 'seq' }] : always
  }
  const isForEverybody = participant === everybody && server === everyServer
  const covers = isForEverybody ? forEverybody : forCalls(participant, server, tool)
  const lists: Place[] = [
    { index: 'lasting', score: 'seq' },
    { index: `lasting of:${participant}`, score: 'seq' },
  ]
  return [...always, ...lists, ...(revoked === undefined ? [{ index: covers, score: 0 }] : [])]
}
