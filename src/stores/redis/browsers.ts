import type { BrowserStore } from '../../participant/browser.ts'
import { AlreadyStored } from '../errors.ts'
import { type BrowserRow, fromBrowserRow, toBrowserRow } from '../rows/browser.ts'
import { type ReadRow, recordsIn } from './records.ts'
import type { RedisServer } from './server/server.ts'

const fromRow = (row: ReadRow) => fromBrowserRow(row as unknown as BrowserRow)

/** Browsers in Redis. */
export function redisBrowsers(server: RedisServer): BrowserStore {
  const kept = recordsIn(server, 'browser')

  return {
    async add(browser) {
      const row = toBrowserRow(browser)
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
      if (added.kind !== 'added') throw new AlreadyStored('browser')
    },
    async getByKey(key) {
      const row = await kept.find(`key:${key}`)
      return row && fromRow(row)
    },
    async list(participant) {
      return (await kept.list([`of:${participant}`], [0, -1])).map(fromRow)
    },
    async listLatest(limit) {
      return (await kept.list(['all'], ['+inf', '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, limit])).map(fromRow)
    },
    async remove(participant, id) {
      return (await kept.take(id, { participant })) !== undefined
    },
    deleteOver: (moment, limit) => kept.deleteBefore('expires', moment, limit),
    forget: (participant) => kept.deleteAll(`of:${participant}`),
  }
}
