import { AssentError } from '../../base/errors.ts'
import { StoreUnavailable } from '../errors.ts'

/** Every error of a driver, in our words: the file is locked, full, gone or broken. What we threw ourselves stays. */
export function translated(error: unknown): unknown {
  if (error instanceof AssentError || !(error instanceof Error)) return error
  return isFromSqlite(error) ? new StoreUnavailable(error) : error
}

function isFromSqlite(error: Error): boolean {
  const { code } = error as { code?: unknown }
  return error.name === 'SqliteError' || (typeof code === 'string' && /^(ERR_)?SQLITE_/.test(code))
}

/** A read needs no transaction: every statement sees one state of the file. */
export async function reading<T>(work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    throw translated(error)
  }
}
