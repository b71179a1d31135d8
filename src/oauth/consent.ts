import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  refreshTokenGrant,
} from 'openid-client'
import type { Consent, Consented, ConsentRequest, Refreshed, Tokens } from '../connection/provider.ts'
import { askForAccount } from './account.ts'
import { loginAddress } from './address.ts'
import { plainRedirectUri, readCallback } from './callback.ts'
import { type Failure, failureOf, tellFailure } from './failures.ts'
import {
  type KnownServer,
  type OAuthClient,
  remoteServer,
  type ServerAddress,
  type ServerParts,
} from './remote-server.ts'
import { deleteGrant, revokeTokens } from './revoke.ts'
import type { Quirks } from './settings/quirks.ts'
import { tokensIn } from './tokens.ts'

/** All that is to be known of one provider to ask people for their consent there. */
export interface ConsentSettings extends OAuthClient {
  /** What people call it. */
  readonly title: string
  readonly server: ServerAddress
  /** Whom the tokens are for, as some servers want it said. */
  readonly audience?: string
  /** Whom the tokens are for (RFC 8707). */
  readonly resource?: string
  /** Goes along in the address that people are sent to. */
  readonly extraParams?: Readonly<Record<string, string>>
  readonly quirks?: Quirks
}

/** Speaks with one OAuth 2 or OpenID server. Whatever it does comes back as a value, and no secret is in any of them. */
export function oauthConsent(settings: ConsentSettings, parts: Omit<ServerParts, 'checkSignatures'>): Consent {
  const { title, clientSecret = '', audience, resource, extraParams, quirks = {} } = settings
  const { clock, timeoutMs } = parts
  const server = remoteServer(settings.server, settings, parts)
  const target = { ...(resource !== undefined && { resource }) }

  async function begin({ verifier, nonce, state, redirectUri, scopes }: ConsentRequest): Promise<Begun> {
    const returnTo = plainRedirectUri(redirectUri).href
    try {
      const { configuration } = await server()
      const url = buildAuthorizationUrl(configuration, {
        ...extraParams,
        ...target,
        ...(audience !== undefined && { audience }),
        ...(scopes.length > 0 && { scope: scopes.join(' ') }),
        ...(isOpenId(scopes) && { nonce }),
        redirect_uri: returnTo,
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { kind: 'begun', url: url.href }
    } catch (error) {
      return failed(failureOf(error), [])
    }
  }

  async function complete(request: ConsentRequest, callback: URL): Promise<Consented> {
    const { verifier, nonce, state, scopes } = request
    const secrets = [...callback.searchParams.getAll('code'), verifier, nonce, state, clientSecret]
    const at = clock.now()
    try {
      const known = await server()
      const said = readCallback(callback, request, known)
      if (said.kind === 'denied') return said
      const response = await authorizationCodeGrant(
        known.configuration,
        said.url,
        { pkceCodeVerifier: verifier, expectedState: state, ...(isOpenId(scopes) && { expectedNonce: nonce }) },
        target,
      )
      return { kind: 'granted', tokens: await withAccount(known, tokensIn(response, { scopes, at }, quirks)) }
    } catch (error) {
      return failed(failureOf(error), secrets)
    }
  }

  async function refresh(refreshToken: string, scopes: readonly string[]): Promise<Refreshed> {
    const at = clock.now()
    try {
      const { configuration } = await server()
      const response = await refreshTokenGrant(configuration, refreshToken, target)
      return { kind: 'granted', tokens: tokensIn(response, { scopes, at, refreshToken }, quirks) }
    } catch (error) {
      const failure = failureOf(error)
      return { kind: isFinal(failure) ? 'refused' : 'unavailable', reason: failure.reason }
    }
  }

  async function withAccount({ userinfoEndpoint, reach }: KnownServer, tokens: Tokens): Promise<Tokens> {
    const { account } = quirks
    if (tokens.account !== undefined || account?.at === 'token-response') return tokens
    const [url, names] =
      account === undefined ? [userinfoEndpoint, undefined] : [loginAddress(account.url), [account.field]]
    if (url === undefined) return tokens
    // An address from our own settings may lead anywhere; one that the server named, no further than the server.
    const fetching = {
      reach: account === undefined ? reach : 'anywhere',
      ...(timeoutMs !== undefined && { timeoutMs }),
    }
    const found = await askForAccount(url, tokens.credential.accessToken, fetching, names)
    return found === undefined ? tokens : { ...tokens, account: found }
  }

  const failed = (failure: Failure, secrets: readonly string[]) => ({
    kind: 'failed' as const,
    reason: failure.reason,
    message: tellFailure(title, failure, secrets),
  })

  return {
    begin,
    complete,
    refresh,
    async revoke(credential) {
      if (quirks.revocation !== undefined) return deleteGrant(quirks.revocation, settings, credential, timeoutMs)
      try {
        return await revokeTokens(await server(), credential)
      } catch {
        return false
      }
    },
  }
}

type Begun = Awaited<ReturnType<Consent['begin']>>

const isOpenId = (scopes: readonly string[]) => scopes.includes('openid')

/**
 * Whether a refresh token is lost. An error that only concerns this moment, or our own client's secret, says nothing
 * about the person's grant: they would be asked in vain.
 */
function isFinal({ reason, error }: Failure): boolean {
  if (error === undefined || error === 'invalid_client' || error === 'incorrect_client_credentials') return false
  return reason === 'invalid_grant' || reason === 'invalid_client' || reason === 'provider_error'
}
