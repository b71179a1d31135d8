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

/** What is needed to ask people for consent at one provider. */
export interface ConsentSettings extends OAuthClient {
  /** The provider's name for people. */
  readonly title: string
  readonly server: ServerAddress
  /** Who the tokens are for, in the `audience` parameter that some servers want. */
  readonly audience?: string
  /** Who the tokens are for, as RFC 8707 has it. */
  readonly resource?: string
  /** Further parameters of the authorization url. */
  readonly extraParams?: Readonly<Record<string, string>>
  readonly quirks?: Quirks
}

/** Speaks with one OAuth 2 or OpenID server. Its failures are returned as values, and none of them holds a secret. */
export function oauthConsent(
  settings: ConsentSettings,
  parts: Omit<ServerParts, 'checkSignatures' | 'personalTokens'>,
): Consent {
  const { title, clientSecret = '', audience, resource, extraParams, quirks = {} } = settings
  const { clock, timeoutMs } = parts
  const { personalTokens } = quirks
  const server = remoteServer(settings.server, settings, { ...parts, ...(personalTokens && { personalTokens }) })
  const target = { ...(resource !== undefined && { resource }) }

  async function begin({ verifier, nonce, state, redirectUri, scopes }: ConsentRequest): Promise<Begun> {
    const returnTo = plainRedirectUri(redirectUri).href
    try {
      const { configuration } = await server()
      const url = buildAuthorizationUrl(configuration, {
        ...extraParams,
        ...target,
        ...(audience !== undefined && { audience }),
        ...(scopes.length > 0 && { scope: scopes.join(quirks.askedScopes === 'comma' ? ',' : ' ') }),
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
    // An address from the settings may be anywhere. One that the server named may reach no further than the server itself.
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

const ownErrors = new Set(['invalid_client', 'incorrect_client_credentials', 'invalid_client_id', 'bad_client_secret'])

/**
 * Whether the refresh token is lost for good. Passing errors, and errors about Assent's own client, say nothing about the
 * person's consent: asking the person again would not help.
 */
function isFinal({ reason, error }: Failure): boolean {
  if (error === undefined || ownErrors.has(error)) return false
  return reason === 'invalid_grant' || reason === 'invalid_client' || reason === 'provider_error'
}
