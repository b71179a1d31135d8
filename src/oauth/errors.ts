import { AssentError } from '../base/errors.ts'

/** The keys of the login cannot be fetched, so no token can be checked. Says nothing about whether a token is valid. */
export class LoginUnavailable extends AssentError {
  readonly code = 'login_unavailable'
  constructor(cause: unknown) {
    super('The login cannot be reached, so tokens cannot be checked. Try again later.', { cause })
  }
}
