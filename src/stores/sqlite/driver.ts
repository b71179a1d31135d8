import { AssentError, BadArgument } from '../../base/errors.ts'
import { DriverMissing, StoreUnavailable } from '../errors.ts'

/** A value that may be bound to a `?`. */
export type Bindable = string | number | null

export type SqliteRow = Record<string, string | number | null>

/** The part of SQLite that we use, the same for every driver. Calls are synchronous and take microseconds. */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

export interface SqliteStatement {
  /** Returns the number of changed rows. */
  run(...values: Bindable[]): number
  get(...values: Bindable[]): SqliteRow | undefined
  all(...values: Bindable[]): SqliteRow[]
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

/** Opens a file with the SQLite of Node from 22.13 on, and with libsql otherwise. */
export async function openSqlite(path: string): Promise<SqliteDatabase> {
  const { DatabaseSync } = nodeSqlite() ?? {}
  return checkedDatabase(DatabaseSync ? new DatabaseSync(path) : await openLibsql(path))
}

type NodeSqlite = { DatabaseSync: new (path: string) => NativeDatabase }

function nodeSqlite(): NodeSqlite | undefined {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 13)) return undefined
  // Node 22 warns that its SQLite is experimental, which would only confuse people at a terminal.
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
  return withListedValues(new Libsql(path))
}

/** Passes values as a list, because libsql reads a single NULL argument as a set of named values. */
function withListedValues(libsql: LibsqlDatabase): NativeDatabase {
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

/** Checks values, because libsql ends the process on an unsupported value and reads a missing one as NULL. */
export function checkedDatabase(native: NativeDatabase): SqliteDatabase {
  let closed = false
  return {
    exec: (sql) => void native.exec(sql),
    prepare(sql) {
      const statement = native.prepare(sql)
      const expected = sql.split('?').length - 1
      const checked = (values: Bindable[]) => {
        // libsql still runs prepared statements after it was closed.
        if (closed) throw new StoreUnavailable('the file is closed')
        return checkValues(values, expected)
      }
      return {
        run: (...values) => Number(statement.run(...checked(values)).changes),
        get: (...values) => statement.get(...checked(values)) as SqliteRow | undefined,
        all: (...values) => statement.all(...checked(values)) as SqliteRow[],
      }
    },
    close() {
      closed = true
      native.close()
    },
  }
}

function checkValues(values: Bindable[], expected: number): Bindable[] {
  if (values.length !== expected)
    throw new BadArgument(`The statement needs ${expected} values, but got ${values.length}.`)
  for (const value of values) {
    if (value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))) continue
    throw new BadArgument(`SQLite cannot store a ${typeof value}.`)
  }
  return values
}

/**
 * Turns an error of the driver or of the file system (the file is locked, full, missing or corrupt) into
 * `StoreUnavailable`. Other errors stay.
 */
export function translateError(error: unknown): unknown {
  if (error instanceof AssentError || !(error instanceof Error)) return error
  return isFromSqlite(error) || 'syscall' in error ? new StoreUnavailable(error) : error
}

function isFromSqlite(error: Error): boolean {
  const { code } = error as { code?: unknown }
  return error.name === 'SqliteError' || (typeof code === 'string' && /^(ERR_)?SQLITE_/.test(code))
}

/** Runs a read. It needs no transaction, because every statement sees one state of the file. */
export async function runRead<T>(work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    throw translateError(error)
  }
}
