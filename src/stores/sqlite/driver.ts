import { BadArgument } from '../../base/errors.ts'
import { DriverMissing, StoreUnavailable } from '../errors.ts'

/** What may be bound to a `?`. */
export type Bindable = string | number | null

export type Row = Record<string, string | number | null>

/** The little of SQLite that we use, the same on every driver. Calls are synchronous: they last microseconds. */
export interface Database {
  /** Runs statements that take no values. */
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export interface Statement {
  /** Returns how many rows it changed. */
  run(...values: Bindable[]): number
  get(...values: Bindable[]): Row | undefined
  all(...values: Bindable[]): Row[]
}

/** What node:sqlite and libsql have in common. */
interface NativeDatabase {
  exec(sql: string): unknown
  prepare(sql: string): NativeStatement
  close(): void
}

interface NativeStatement {
  run(...values: Bindable[]): { changes: number | bigint }
  get(...values: Bindable[]): unknown
  all(...values: Bindable[]): unknown[]
}

interface LibsqlDatabase extends Pick<NativeDatabase, 'exec' | 'close'> {
  prepare(sql: string): {
    run(values: Bindable[]): { changes: number }
    get(values: Bindable[]): unknown
    all(values: Bindable[]): unknown[]
  }
}

/** Opens a file with Node's own SQLite where it has one, else with libsql. */
export async function openDatabase(path: string): Promise<Database> {
  const { DatabaseSync } = nodeSqlite() ?? {}
  return guard(DatabaseSync ? new DatabaseSync(path) : await openLibsql(path))
}

type NodeSqlite = { DatabaseSync: new (path: string) => NativeDatabase }

function nodeSqlite(): NodeSqlite | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 13)) return undefined
  // Node 22 warns that its SQLite is new; a person at a terminal can do nothing about that.
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite
  } finally {
    process.emitWarning = emitWarning
  }
}

async function openLibsql(path: string): Promise<NativeDatabase> {
  const driver = 'libsql'
  const { default: Libsql } = await import(driver).catch((error: unknown) => {
    throw new DriverMissing('SQLite on this version of Node', driver, error)
  })
  return boundAsList(new Libsql(path))
}

/** libsql takes a lone NULL for a set of named values, unless values come as a list. */
function boundAsList(libsql: LibsqlDatabase): NativeDatabase {
  return {
    exec: (sql) => libsql.exec(sql),
    prepare(sql) {
      const statement = libsql.prepare(sql)
      return {
        run: (...values) => statement.run(values),
        get: (...values) => statement.get(values),
        all: (...values) => statement.all(values),
      }
    },
    close: () => libsql.close(),
  }
}

/** libsql ends the whole process on a value it does not know, and takes a missing one for NULL: neither ever reaches it. */
export function guard(native: NativeDatabase): Database {
  let closed = false
  return {
    exec: (sql) => void native.exec(sql),
    prepare(sql) {
      const statement = native.prepare(sql)
      const expected = sql.split('?').length - 1
      const checked = (values: Bindable[]) => {
        // libsql goes on serving prepared statements.
        if (closed) throw new StoreUnavailable('the file is closed')
        return checkValues(values, expected)
      }
      return {
        run: (...values) => Number(statement.run(...checked(values)).changes),
        get: (...values) => statement.get(...checked(values)) as Row | undefined,
        all: (...values) => statement.all(...checked(values)) as Row[],
      }
    },
    close() {
      closed = true
      native.close()
    },
  }
}

function checkValues(values: Bindable[], expected: number): Bindable[] {
  if (values.length !== expected) throw new BadArgument(`The statement takes ${expected} values, not ${values.length}.`)
  for (const value of values) {
    if (value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) continue
    throw new BadArgument(`SQLite cannot keep a ${typeof value}.`)
  }
  return values
}
