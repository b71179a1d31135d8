import { forgottenParticipant } from '../../elicitation/answering/answerers.ts'
import type { IntegerValue } from '../rows/values.ts'
import { fromName, toName } from '../rows/values.ts'
import {
  addRecord,
  deleteRecords,
  findRecord,
  forgetName,
  getRecord,
  listRecords,
  listSealedExceptKey,
  listSealingKeys,
  saveRecord,
  takeRecord,
} from './scripts/records.ts'
import type { RedisScript } from './scripts/script.ts'
import type { RedisServer } from './server/server.ts'

/** A sorted set that a record is in. */
export interface Place {
  readonly index: string
  /** `seq`: the number of the record in the order of adding. */
  readonly score: number | 'seq'
  /** By which members of the same score are ordered. Holds no line end. */
  readonly before?: string
  /** Whether the number of the record follows `before`. */
  readonly ordered?: boolean
  /** What lists need to know of the record without reading it. Holds no line end. */
  readonly note?: string
}

/** A record as it is written: as a hash, into indexes, and under names that only one record may have. */
export interface WrittenRecord {
  readonly key: string
  readonly columns: Readonly<Record<string, IntegerValue | null>>
  readonly places: readonly Place[]
  readonly uniques?: readonly string[]
  /** Columns that are written only if they are empty, and never over what was forgotten. Null empties one. */
  readonly first?: Readonly<Record<string, IntegerValue | null>>
  /** Columns that name a participant, by which `forgetName` finds the record. */
  readonly names?: readonly string[]
}

/** A row as it was read, without null columns. */
export type ReadRow = Readonly<Record<string, string>>

/** How adding a record ended. */
export type AddedRecord =
  | { readonly kind: 'added' }
  | { readonly kind: 'taken'; readonly row: ReadRow }
  | { readonly kind: 'full'; readonly index: string }

/** An index that may have so many members. */
export interface IndexLimit {
  readonly index: string
  readonly most: number
}

/** How many records are deleted at once, so that nobody else waits long. */
export const deletedAtOnce = 500

/** The records of one kind. Every change is one script, so that a record and its places in indexes never disagree. */
export function recordsIn(server: RedisServer, table: string) {
  const run = <T>(script: RedisScript, args: object) => server.run<T>(script, table, args)

  async function list(indexes: readonly string[], range: readonly (string | number)[], limit = 0): Promise<ReadRow[]> {
    const found = await run<string[][]>(listRecords, { indexes, range: range.map(String), limit: String(limit) })
    return found.map(rowFromFlat)
  }

  async function deleteIn(index: string, range: readonly (string | number)[]): Promise<number> {
    return run<number>(deleteRecords, { index, range: range.map(String) })
  }

  return {
    run,
    list,
    async add(record: WrittenRecord, limits: readonly IndexLimit[] = []): Promise<AddedRecord> {
      const most = limits.map(({ index, most }) => ({ index, most: String(Math.min(most, Number.MAX_SAFE_INTEGER)) }))
      const [kind, what] = await run<[AddedRecord['kind'], unknown]>(addRecord, { ...written(record), limits: most })
      if (kind === 'added') return { kind }
      return kind === 'taken' ? { kind, row: rowFromFlat(what as string[]) } : { kind, index: what as string }
    },
    async get(key: string): Promise<ReadRow | undefined> {
      return someRow(await run<string[]>(getRecord, { key: toName(key) }))
    },
    async find(unique: string): Promise<ReadRow | undefined> {
      return someRow(await run<string[]>(findRecord, { unique }))
    },
    /** Saves only if the columns are as expected; false: the column is empty. */
    async save(record: WrittenRecord, expected: Readonly<Record<string, IntegerValue | false>>): Promise<boolean> {
      const same = Object.entries(expected).map(([column, value]) => [column, value === false ? false : String(value)])
      return (await run<number>(saveRecord, { ...written(record), expected: Object.fromEntries(same) })) === 1
    },
    /** Deletes the record if the columns are as expected, and returns it. */
    async take(key: string, expected: Readonly<Record<string, string>> = {}): Promise<ReadRow | undefined> {
      return someRow(await run<string[]>(takeRecord, { key: toName(key), expected }))
    },
    /** Deletes those with a score below the moment, lowest first. */
    deleteBefore: (index: string, moment: Date, limit: number) =>
      deleteIn(index, ['-inf', `(${moment.getTime()}`, 'BYSCORE', 'LIMIT', 0, limit]),
    async deleteAll(index: string): Promise<number> {
      return repeated(() => deleteIn(index, [0, deletedAtOnce - 1]))
    },
    /** Replaces the name wherever `names` found it. */
    async forgetName(name: string, columns: readonly string[]): Promise<void> {
      const args = { name, columns, forgotten: forgottenParticipant, limit: String(deletedAtOnce) }
      await repeated(() => run<number>(forgetName, args))
    },
    async sealingKeys(): Promise<string[]> {
      return (await run<string[]>(listSealingKeys, {})).map(fromName)
    },
    async listSealedExcept(key: string, limit: number): Promise<ReadRow[]> {
      return (await run<string[][]>(listSealedExceptKey, { except: toName(key), limit: String(limit) })).map(
        rowFromFlat,
      )
    },
  }
}

/** The place of a record with something sealed under this key. */
export function sealedPlace(key: string | null): Place[] {
  return key === null ? [] : [{ index: 'sealed', score: 0, before: toName(key) }]
}

/** The row with null for every column that it lacks. */
export function withNulls<Row>(row: ReadRow, columns: readonly (string & keyof Row)[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null])) as Row
}

/** A flat list of names and values, as Redis returns a hash. */
export function rowFromFlat(flat: readonly string[]): ReadRow {
  const row: Record<string, string> = {}
  for (let place = 0; place + 1 < flat.length; place += 2) row[flat[place] as string] = flat[place + 1] as string
  return row
}

/** As the scripts take it: every value is a text, because Lua would round a large number. */
export function written({ key, columns, places, uniques = [], first = {}, names = [] }: WrittenRecord) {
  return {
    key: toName(key),
    columns: textsOf(columns),
    first: textsOf(first),
    nulls: [...nullsOf(columns), ...nullsOf(first)],
    places: places.map(({ index, score, before = '', ordered = false, note }) => {
      return { index, score: String(score), before, ordered, ...(note !== undefined && { note: toName(note) }) }
    }),
    uniques,
    names,
    forgotten: forgottenParticipant,
  }
}

/** Repeats what does a limited part of the work until none is left. */
export async function repeated(part: () => Promise<number>): Promise<number> {
  let all = 0
  for (;;) {
    const done = await part()
    all += done
    if (done < deletedAtOnce) return all
  }
}

function someRow(flat: readonly string[]): ReadRow | undefined {
  return flat.length === 0 ? undefined : rowFromFlat(flat)
}

function textsOf(columns: WrittenRecord['columns']): Record<string, string> {
  const filled = Object.entries(columns).filter(([, value]) => value !== null)
  return Object.fromEntries(filled.map(([column, value]) => [column, String(value)]))
}

function nullsOf(columns: WrittenRecord['columns']): string[] {
  return Object.keys(columns).filter((column) => columns[column] === null)
}
