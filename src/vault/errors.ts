import { AssentError } from '../base/errors.ts'

/** The keys are malformed or cannot be used. The message says what to do, and never shows a part of a key. */
export class BadKeys extends AssentError {
  readonly code = 'bad_keys'
}

/** A key cannot be dropped because something is still sealed under it. */
export class KeyInUse extends AssentError {
  readonly code = 'key_in_use'
  constructor(id: string) {
    super(
      `The key "${id}" is still in use. Rotate the keys first, which seals everything under a new key, and then drop this one. While somebody is connecting an account, it may be needed for some minutes more.`,
    )
  }
}

/** A value is sealed under a key that is not configured. */
export class KeyMissing extends AssentError {
  readonly code = 'key_missing'
  constructor(id: string) {
    super(`The key "${id}" that opens this is missing. Put it back into ASSENT_KEYS or the key file.`)
  }
}

/** A sealed value was changed, or moved to another record. No key opens it. */
export class SealBroken extends AssentError {
  readonly code = 'seal_broken'
  constructor(detail: string) {
    super('A sealed value was changed, moved or truncated, and cannot be opened.', { detail })
  }
}
