import { AssentError } from '../base/errors.ts'

/** The keys cannot be used as they are. Says what to do about it, and never shows any of a key. */
export class BadKeys extends AssentError {
  readonly code = 'bad_keys'
}

/** A key is to be dropped that something still depends on. */
export class KeyInUse extends AssentError {
  readonly code = 'key_in_use'
  constructor(id: string) {
    super(
      `The key "${id}" is still in use. Add a new key, reseal everything under it, and drop this one then. Somebody who is just connecting an account may need it for some minutes more.`,
    )
  }
}

/** Something is sealed under a key that is not here. With that key it would open. */
export class KeyMissing extends AssentError {
  readonly code = 'key_missing'
  constructor(id: string) {
    super(`The key "${id}" that opens this is missing. Put it back into ASSENT_KEYS or the key file.`)
  }
}

/** What is to be opened is not what was sealed, or not where it was sealed for. No key opens it. */
export class SealBroken extends AssentError {
  readonly code = 'seal_broken'
  constructor(detail: string) {
    super('A sealed value was changed, moved or cut off, and cannot be opened.', { detail })
  }
}
