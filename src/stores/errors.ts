import { AssentError, BadArgument } from '../base/errors.ts'

/** The store cannot be reached or does not answer. The operation may be tried again. */
export class StoreUnavailable extends AssentError {
  readonly code = 'store_unavailable'
  constructor(cause: unknown) {
    super('The store cannot be reached.', { cause, detail: cause instanceof Error ? cause.message : String(cause) })
  }
}

/** Part of what is stored can no longer be read. Going on could damage more. */
export class StoreDamaged extends AssentError {
  readonly code = 'store_damaged'
  constructor(store: string, damage: readonly string[], remedy: string) {
    super(`${store} is damaged. ${remedy}`, { detail: damage.join('; ') })
  }
}

/** The store has the schema of a newer version of Assent, which this version could damage. */
export class SchemaNewer extends AssentError {
  readonly code = 'schema_newer'
  constructor(found: number, known: number) {
    super(
      `The store has schema ${found}; this version of Assent supports up to ${known}. Start the newer version, or restore the backup made before it ran.`,
    )
  }
}

/** The address of the store is malformed. */
export class BadStoreUrl extends AssentError {
  readonly code = 'bad_store_url'
}

/** A driver that the chosen store needs is not installed. */
export class DriverMissing extends AssentError {
  readonly code = 'driver_missing'
  constructor(store: string, driver: string, cause: unknown) {
    super(`${store} needs the package "${driver}". Install it: npm install ${driver}`, { cause })
  }
}

/** A record with this id or key exists already, and was not changed. */
export class AlreadyStored extends BadArgument {
  constructor(what: string) {
    super(`This ${what} is already stored.`)
  }
}
