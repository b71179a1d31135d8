import { AssentError } from '../base/errors.ts'

/** No provider of this name is configured. */
export class ProviderUnknown extends AssentError {
  readonly code = 'provider_unknown'
  constructor(name: string) {
    super('This provider is not configured.', { detail: `provider ${name}` })
  }
}

/** The account is connected, but its credential has expired and the provider cannot be reached for a new one. */
export class ProviderUnavailable extends AssentError {
  readonly code = 'provider_unavailable'
  constructor(title: string, reason: string) {
    super(`${title} cannot be reached at the moment. Try again later.`, { detail: reason })
  }
}
