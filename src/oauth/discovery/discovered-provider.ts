import type { IssuedBy } from '../../connection/connection.ts'
import type { Consent, Provider, Sending } from '../../connection/provider.ts'
import type { DiscoveredConsent } from './discovered-consent.ts'
import type { DiscoveryParts, DiscoverySettings, Introduction } from './discovery-settings.ts'
import { isResourceOf } from './is-resource.ts'

/** For reading settings only. */
const strangers: Introduction = {
  title: 'Assent',
  publicUrl: 'http://127.0.0.1',
  callbackUrl: 'http://127.0.0.1/oauth/callback',
  clients: { get: async () => undefined, keep: async (_issuer, _resource, client) => client, forget: async () => {} },
}

/** A provider that is found by asking an MCP server. OAuth is loaded when somebody connects or a token is renewed. */
export function discoveredProvider(
  settings: DiscoverySettings,
  sending: Sending,
  introduction: Introduction = strangers,
  parts: DiscoveryParts,
): Provider {
  const { name, title, server } = settings
  /** The issuers that the server named last; undefined before it was asked. */
  let known: readonly string[] | undefined
  let loading: Promise<DiscoveredConsent> | undefined
  const loaded = (): Promise<DiscoveredConsent> => {
    loading ??= import('./discovered-consent.ts').then(({ discoveredConsent }) =>
      discoveredConsent(settings, introduction, parts, (issuers) => {
        known = issuers
      }),
    )
    return loading
  }
  const consent: Consent = {
    begin: async (request) => (await loaded()).begin(request),
    complete: async (request, callback) => (await loaded()).complete(request, callback),
    refresh: async (token, scopes, issuedBy) => (await loaded()).refresh(token, scopes, issuedBy),
    revoke: async (credential, issuedBy) => (await loaded()).revoke(credential, issuedBy),
    accepts: (issuedBy) => isIssuedFor(issuedBy, server) && (known === undefined || known.includes(issuedBy.issuer)),
    find: async () => (await loaded()).find(),
  }
  // What the server wants is known only when it is asked, so nothing is missing before.
  return { name, title, scopes: [], sending, by: { kind: 'consent', consent } }
}

const isIssuedFor = (issuedBy: IssuedBy | undefined, server: URL): issuedBy is IssuedBy =>
  issuedBy !== undefined && isResourceOf(issuedBy.resource, server)
