import { AssentError } from '../base/errors.ts'

/** Nobody set up a provider of this name. */
export class ProviderUnknown extends AssentError {
  readonly code = 'provider_unknown'
  constructor(name: string) {
    super('This provider is not set up here.', { detail: `provider ${name}` })
  }
}

/** The account is there, but its provider cannot be asked for a fresh credential, and the old one has ended. */
export class ProviderUnavailable extends AssentError {
  readonly code = 'provider_unavailable'
  constructor(title: string, reason: string) {
    super(`${title} cannot be reached now. Try again later.`, { detail: reason })
  }
}
