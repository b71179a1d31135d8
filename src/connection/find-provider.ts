import { BadArgument } from '../base/errors.ts'
import type { ConnectionDesk } from './desk.ts'
import { ProviderUnknown } from './errors.ts'
import type { Consent, Provider } from './provider.ts'

/** The provider of this name. Throws if there is none. */
export function findProvider({ providers }: Pick<ConnectionDesk, 'providers'>, name: string): Provider {
  const provider = providers.get(name)
  if (provider === undefined) throw new ProviderUnknown(name)
  return provider
}

/** The OAuth consent of this provider. Throws if the provider takes a key instead. */
export function consentOf(provider: Provider): Consent {
  if (provider.by.kind === 'consent') return provider.by.consent
  throw new BadArgument(`${provider.title} takes a key and has no login page to open.`)
}
