import { AssentError } from '../../base/errors.ts'
import { StoreUnavailable } from '../errors.ts'

/** Turns a driver's error (the file is locked, full, missing or corrupt) into `StoreUnavailable`. Other errors stay. */
export function translateError(error: unknown): unknown {
  if (error instanceof AssentError || !(error instanceof Error)) return error
  return isFromSqlite(error) ? new StoreUnavailable(error) : error
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
