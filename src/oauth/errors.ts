import { AssentError } from '../base/errors.ts'

/** Tokens cannot be checked: the login's keys are out of reach. Says nothing about any token. */
export class LoginUnavailable extends AssentError {
  readonly code = 'login_unavailable'
  constructor(cause: unknown) {
    super('The login cannot be reached, so tokens cannot be checked.', { cause })
  }
}
