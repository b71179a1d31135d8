import { randomBytes } from 'node:crypto'
import { refreshTokenGrant } from 'openid-client'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { IssuedBy } from '../../connection/connection.ts'
import type { Consent, ConsentRequest, SignInPlace } from '../../connection/provider.ts'
import type { RegisteredClient } from '../../connection/registration/registration.ts'
import { serverTag } from '../../connection/registration/server-tag.ts'
import { oauthConsent } from '../consent.ts'
import type { Discovered } from '../discover.ts'
import { failureOf, OAuthFailed, tellFailure } from '../failures.ts'
import { type OAuthClient, remoteServer } from '../remote-server.ts'
import type { DiscoveryParts, DiscoverySettings, Introduction } from './discovery-settings.ts'
import { type DescribedResource, findResource } from './find-resource.ts'
import { findServer } from './find-server.ts'
import { describeClient, register, registrationEndpoint } from './register.ts'

export type DiscoveredConsent = Consent & Required<Pick<Consent, 'find'>>

/** A server's own account of who gives access to it, believed as far as it fits. */
interface Place {
  readonly resource: DescribedResource
  readonly found: Discovered
  readonly issuer: string
}

/**
 * Speaks with whichever authorization server an MCP server names, and registers there by itself. `named` is told
 * which issuers it named last.
 */
export function discoveredConsent(
  settings: DiscoverySettings,
  introduction: Introduction,
  parts: DiscoveryParts,
  named: (issuers: readonly string[]) => void,
): DiscoveredConsent {
  const { title, server } = settings
  const { timeoutMs, clock } = parts

  /** Asks anew each time: people are sent only to where the server says now. `was`: the issuer to stay with, if it may. */
  async function look(was?: string): Promise<Place> {
    const resource = await findResource(server, timeoutMs)
    named(resource.issuers)
    if (was !== undefined && !resource.issuers.includes(was)) throw new OAuthFailed({ reason: 'issuer_changed' })
    const issuer = was ?? (resource.issuers[0] as string)
    return { resource, found: await findServer(resource, issuer, timeoutMs), issuer }
  }

  const redirectTo = (issuer: string) => `${introduction.callbackUrl.replace(/\/+$/, '')}/${serverTag(issuer)}`

  /** The address of our client document, if the server reads such documents and could believe ours. */
  function documentFor({ found, issuer }: Place): string | undefined {
    const isRead = found.metadata.client_id_metadata_document_supported === true
    const { protocol } = new URL(introduction.publicUrl)
    return isRead && protocol === 'https:' ? `${introduction.publicUrl}/oauth/client/${serverTag(issuer)}` : undefined
  }

  async function clientFor(place: Place): Promise<OAuthClient> {
    const document = documentFor(place)
    if (document !== undefined) return { clientId: document }
    const { issuer, resource, found } = place
    const kept = await introduction.clients.get(issuer, resource.resource)
    if (kept !== undefined && (await isStillKnown(place, kept))) return clientOf(kept)

    const endpoint = registrationEndpoint(found)
    if (endpoint === undefined) throw new OAuthFailed({ reason: 'no_registration', remedy: missingSettings(issuer) })
    if (kept !== undefined) await introduction.clients.forget(issuer, resource.resource, kept.clientId)
    const redirectUri = redirectTo(issuer)
    const made = await register(found, endpoint, describeClient(introduction.title, redirectUri), timeoutMs)
    return clientOf(await introduction.clients.keep(issuer, resource.resource, { ...made, redirectUri }))
  }

  /**
   * A server may have forgotten us, and would then show people an error page of its own. It is asked to renew a token that
   * nobody has: one that knows us refuses the token, any other refuses us.
   */
  async function isStillKnown({ found, issuer }: Place, kept: RegisteredClient): Promise<boolean> {
    if (kept.redirectUri !== redirectTo(issuer)) return false
    if (kept.expiresAt !== undefined && kept.expiresAt <= clock.now()) return false
    try {
      const { configuration } = await remoteServer({ discovered: found }, clientOf(kept), parts)()
      await refreshTokenGrant(configuration, randomBytes(32).toString('base64url'))
      return true
    } catch (error) {
      return failureOf(error).error !== 'invalid_client'
    }
  }

  /** The client that got these tokens, or that a person was sent away with. */
  async function clientBy(place: Place, { clientId }: IssuedBy): Promise<OAuthClient> {
    if (documentFor(place) === clientId) return { clientId }
    const kept = await introduction.clients.get(place.issuer, place.resource.resource)
    // Its registration was replaced, so the server would not know it.
    if (kept?.clientId !== clientId) throw new OAuthFailed({ reason: 'invalid_grant' })
    return clientOf(kept)
  }

  const consentAt = (
    { found, resource }: Place,
    client: OAuthClient,
    extraParams: Record<string, string> = {},
  ): Consent =>
    oauthConsent({ title, server: { discovered: found }, resource: resource.resource, extraParams, ...client }, parts)

  const settled = async (issuedBy: IssuedBy) => {
    const place = await look(issuedBy.issuer)
    if (place.resource.resource !== issuedBy.resource) throw new OAuthFailed({ reason: 'resource_differs' })
    return consentAt(place, await clientBy(place, issuedBy))
  }

  const missingSettings = (issuer: string) =>
    `Register Assent by hand at ${visibleLine(issuer)}, with the redirect address ${introduction.callbackUrl}. Then write under providers: ` +
    `${settings.name}: { issuer: ${visibleLine(issuer)}, clientId: …, resource: ${server.href} }, and provider: ${settings.name} at the server.`

  const failed = (error: unknown, secrets: readonly string[] = []) => {
    const failure = failureOf(error)
    return { kind: 'failed' as const, reason: failure.reason, message: tellFailure(title, failure, secrets) }
  }

  return {
    async begin(request) {
      try {
        const place = await look()
        const client = await clientFor(place)
        const { scopes, extraParams } = scopesAt(place, [...settings.scopes, ...request.scopes])
        const redirectUri = redirectTo(place.issuer)
        const begun = await consentAt(place, client, extraParams).begin({ ...request, scopes, redirectUri })
        if (begun.kind === 'failed') return begun
        const { resource } = place.resource
        return {
          ...begun,
          scopes,
          redirectUri,
          issuedBy: { issuer: place.issuer, resource, clientId: client.clientId },
        }
      } catch (error) {
        return failed(error)
      }
    },
    async complete(request: ConsentRequest, callback) {
      const { issuedBy } = request
      if (issuedBy === undefined) return failed(new OAuthFailed({ reason: 'state_mismatch' }))
      try {
        const consented = await (await settled(issuedBy)).complete(request, callback)
        if (consented.kind === 'granted') return { ...consented, tokens: { ...consented.tokens, issuedBy } }
        if (consented.kind === 'failed' && consented.reason === 'invalid_client') {
          await introduction.clients.forget(issuedBy.issuer, issuedBy.resource, issuedBy.clientId)
        }
        return consented
      } catch (error) {
        return failed(error)
      }
    },
    async refresh(refreshToken, scopes, issuedBy) {
      if (issuedBy === undefined) return { kind: 'refused', reason: 'issuer_changed' }
      try {
        const refreshed = await (await settled(issuedBy)).refresh(refreshToken, scopes)
        if (refreshed.kind === 'granted') return { ...refreshed, tokens: { ...refreshed.tokens, issuedBy } }
        if (refreshed.reason !== 'invalid_client') return refreshed
        // Only a new client could get new tokens, and it needs the person's consent.
        await introduction.clients.forget(issuedBy.issuer, issuedBy.resource, issuedBy.clientId)
        return { kind: 'refused', reason: refreshed.reason }
      } catch (error) {
        const { reason } = failureOf(error)
        return { kind: final.has(reason) ? 'refused' : 'unavailable', reason }
      }
    },
    async revoke(credential, issuedBy) {
      if (issuedBy === undefined) return false
      try {
        return await (await settled(issuedBy)).revoke(credential)
      } catch {
        return false
      }
    },
    async find(): Promise<SignInPlace> {
      try {
        const place = await look()
        if (documentFor(place) !== undefined) return { kind: 'found', issuer: place.issuer, by: 'document' }
        const kept = await introduction.clients.get(place.issuer, place.resource.resource)
        if (kept === undefined && registrationEndpoint(place.found) === undefined) {
          throw new OAuthFailed({ reason: 'no_registration', remedy: missingSettings(place.issuer) })
        }
        return { kind: 'found', issuer: place.issuer, by: 'registration' }
      } catch (error) {
        return failed(error)
      }
    },
  }
}

/** Failures after which the person must connect again: what is kept would never work. */
const final = new Set<string>(['issuer_changed', 'resource_differs', 'invalid_grant'])

const clientOf = ({ clientId, clientSecret, authentication }: RegisteredClient): OAuthClient => ({
  clientId,
  clientAuthentication: authentication,
  ...(clientSecret !== undefined && { clientSecret }),
})

/** What is asked for: what the settings and the question say, or else what the server wants; and renewal where that is a scope. */
function scopesAt({ resource, found }: Place, given: readonly string[]) {
  const wanted = given.length > 0 ? given : resource.scopes
  const supported = found.metadata.scopes_supported
  const renews = Array.isArray(supported) && supported.includes('offline_access')
  // OpenID Connect grants offline_access only to somebody who was asked.
  const extraParams: Record<string, string> = renews ? { prompt: 'consent' } : {}
  return {
    scopes: [...new Set([...wanted, ...(renews ? ['offline_access'] : [])])],
    extraParams,
  }
}
