import type { BrowserStore } from '../../participant/browser.ts'
import { AlreadyStored } from '../errors.ts'
import { type BrowserRow, browserColumns, fromBrowserRow, toBrowserRow } from '../rows/browser.ts'
import { isStorableText, type PostgresDatabase, type PostgresStatement } from './database.ts'

const row = browserColumns.join(', ')

const add: PostgresStatement = {
  name: 'assent_browser_add',
  text: `insert into assent_browser (${row}) values ($1, $2, $3, $4, $5) on conflict do nothing`,
}

const getByKey: PostgresStatement = {
  name: 'assent_browser_get_by_key',
  text: `select ${row} from assent_browser where key = $1`,
}

const list: PostgresStatement = {
  name: 'assent_browser_list',
  text: `select ${row} from assent_browser where participant = $1 order by seq`,
}

const listLatest: PostgresStatement = {
  name: 'assent_browser_list_latest',
  text: `select ${row} from assent_browser order by seq desc limit $1`,
}

const remove: PostgresStatement = {
  name: 'assent_browser_remove',
  text: `delete from assent_browser where participant = $1 and id = $2`,
}

// Locked rows are skipped, so that two concurrent clean-ups share the work and do not block each other.
const deleteOver: PostgresStatement = {
  name: 'assent_browser_delete_over',
  text: `
    delete from assent_browser where seq in (
      select seq from assent_browser where expires_at < $1
      order by expires_at limit $2
      for update skip locked)`,
}

const forget: PostgresStatement = {
  name: 'assent_browser_forget',
  text: `delete from assent_browser where participant = $1`,
}

/** Browsers in PostgreSQL. */
export function postgresBrowsers(database: PostgresDatabase): BrowserStore {
  async function read(statement: PostgresStatement, values: readonly unknown[]) {
    return (await database.query<BrowserRow>(statement, values)).rows.map(fromBrowserRow)
  }

  async function count(statement: PostgresStatement, values: readonly unknown[]): Promise<number> {
    return (await database.query(statement, values)).rowCount ?? 0
  }

  return {
    async add(browser) {
      const row = toBrowserRow(browser)
      const values = browserColumns.map((column) => row[column])
      if ((await count(add, values)) === 0) throw new AlreadyStored('browser')
    },
    async getByKey(key) {
      return isStorableText(key) ? (await read(getByKey, [key]))[0] : undefined
    },
    list: (participant) => read(list, [participant]),
    listLatest: (limit) => read(listLatest, [limit]),
    async remove(participant, id) {
      return isStorableText(id) && (await count(remove, [participant, id])) === 1
    },
    deleteOver: (moment, limit) => count(deleteOver, [moment.getTime(), limit]),
    forget: (participant) => count(forget, [participant]),
  }
}
