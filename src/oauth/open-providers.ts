import type { Clock } from '../base/clock.ts'
import { BadConfig } from '../base/errors.ts'
import { isUrl } from '../base/public-address.ts'
import type { Provider } from '../connection/provider.ts'
import { checkProviderName } from '../elicitation/asking/provider-name.ts'
import { discoveredProvider } from './discovery/discovered-provider.ts'
import type { Introduction } from './discovery/discovery-settings.ts'
import type { ProviderSettings } from './providers.ts'
import type { DiscoveredProviderSettings } from './settings/provider-settings.ts'

/** The providers in the settings, by name. OAuth is loaded only where one of them needs it. */
export async function openProviders(
  providers: Readonly<Record<string, ProviderSettings>> | ReadonlyMap<string, Provider>,
  clock: Clock,
  introduction: Introduction,
): Promise<ReadonlyMap<string, Provider>> {
  if (providers instanceof Map) {
    for (const name of providers.keys()) checkProviderName(name)
    return providers
  }
  const all = Object.entries(providers as Readonly<Record<string, ProviderSettings>>)
  // Every server with a url may have such a provider, and few need OAuth until somebody connects.
  const plain = all.filter(([, one]) => Object.keys(one).every((key) => key === 'discover' || key === 'title'))
  const others = all.filter((one) => !plain.includes(one))
  const found = plain.map(
    ([name, one]) => [name, discoveredBy(name, one as PlainDiscovery, clock, introduction)] as const,
  )
  if (others.length === 0) return new Map(found)
  const { providersFrom } = await import('./providers.ts')
  return new Map([...found, ...providersFrom(Object.fromEntries(others), { clock, introduction })])
}

type PlainDiscovery = Pick<DiscoveredProviderSettings, 'discover' | 'title'>

function discoveredBy(
  name: string,
  { discover, title = name }: PlainDiscovery,
  clock: Clock,
  introduction: Introduction,
) {
  checkProviderName(name)
  if (!isUrl(discover)) throw new BadConfig(`"discover" of the provider "${name}" must be a full address.`, [name])
  const settings = { name, title, server: new URL(discover), scopes: [] }
  return discoveredProvider(settings, { header: 'Authorization' }, introduction, { clock })
}
