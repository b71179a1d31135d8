import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client'
import type { Tokens } from '../connection/provider.ts'
import { accountIn } from './account.ts'
import type { Quirks } from './settings/quirks.ts'

interface Asked {
  readonly scopes: readonly string[]
  /** When the request was sent. */
  readonly at: Date
  /** Stays in use when the server sends no new one. */
  readonly refreshToken?: string
}

const longestSeconds = 10 * 365 * 86_400

/** The tokens in the response of a token endpoint. */
export function tokensIn(
  response: TokenEndpointResponse & TokenEndpointResponseHelpers,
  asked: Asked,
  quirks: Quirks,
): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken = asked.refreshToken, expires_in: seconds } = response
  const account = accountOf(response, quirks)
  return {
    credential: { kind: 'tokens', accessToken, ...(refreshToken !== undefined && { refreshToken }) },
    scopes: scopesIn(response.scope, { ...asked, ...(refreshToken !== undefined && { refreshToken }) }, quirks),
    ...(seconds !== undefined && {
      expiresAt: new Date(asked.at.getTime() + Math.min(seconds, longestSeconds) * 1_000),
    }),
    ...(account !== undefined && { account }),
  }
}

function scopesIn(said: string | undefined, { scopes, refreshToken }: Asked, quirks: Quirks): string[] {
  if (said === undefined || quirks.scopes === 'unsaid') return [...scopes]
  const named = said.split(quirks.scopes === 'comma' ? /[\s,]+/ : /\s+/).filter(Boolean)
  const implied = named.flatMap((scope) => quirks.impliedScopes?.[scope] ?? [])
  const { scopePrefix } = quirks
  const shortened = scopePrefix === undefined ? [] : scopes.filter((scope) => named.includes(`${scopePrefix}${scope}`))
  // Many servers do not list these two scopes, although the tokens that they send show that both are granted.
  const shown = scopes.filter(
    (scope) => scope === 'openid' || (scope === 'offline_access' && refreshToken !== undefined),
  )
  return [...new Set([...named, ...implied, ...shortened, ...shown])]
}

function accountOf(
  response: TokenEndpointResponse & TokenEndpointResponseHelpers,
  { account }: Quirks,
): string | undefined {
  if (account?.at === 'token-response') return accountIn(response, [account.field])
  const claims = response.claims()
  return claims === undefined ? undefined : accountIn(claims)
}
