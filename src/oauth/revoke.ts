import { tokenRevocation } from 'openid-client'
import { guardedFetch } from '../base/guarded-fetch.ts'
import type { Credential } from '../connection/credential/credential.ts'
import { failureOf } from './failures.ts'
import type { KnownServer, OAuthClient } from './remote-server.ts'
import type { Quirks } from './settings/quirks.ts'

type TokenCredential = Extract<Credential, { kind: 'tokens' }>

/** Tells a server by RFC 7009 that both tokens are given up. False: it cannot be told, or did not take it. */
export async function revokeTokens(
  { configuration }: KnownServer,
  { accessToken, refreshToken }: TokenCredential,
): Promise<boolean> {
  if (configuration.serverMetadata().revocation_endpoint === undefined) return false
  // The refresh token first: with it goes, at most servers, all that came of it.
  const renewable = refreshToken === undefined ? undefined : await revoked(refreshToken, 'refresh_token')
  const usable = await revoked(accessToken, 'access_token')
  if (renewable === undefined) return usable === 'revoked'
  return renewable === 'revoked' && usable !== 'failed'

  async function revoked(token: string, hint: string): Promise<'revoked' | 'unsupported' | 'failed'> {
    try {
      await tokenRevocation(configuration, token, { token_type_hint: hint })
      return 'revoked'
    } catch (error) {
      // Some servers cannot take back an access token before it ends.
      return failureOf(error).error === 'unsupported_token_type' ? 'unsupported' : 'failed'
    }
  }
}

/** Deletes all that the person granted to this client, as GitHub does it. */
export async function deleteGrant(
  { url }: NonNullable<Quirks['revocation']>,
  { clientId, clientSecret = '' }: OAuthClient,
  { accessToken }: TokenCredential,
  timeoutMs?: number,
): Promise<boolean> {
  try {
    const response = await guardedFetch({ reach: 'anywhere', ...(timeoutMs !== undefined && { timeoutMs }) })(url, {
      method: 'DELETE',
      headers: {
        Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        Accept: 'application/json',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ access_token: accessToken }),
    })
    return response.ok
  } catch {
    return false
  }
}
