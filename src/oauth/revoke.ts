import { tokenRevocation } from 'openid-client'
import { guardedFetch } from '../base/guarded-fetch.ts'
import type { Credential } from '../connection/credential/credential.ts'
import { failureOf } from './failures.ts'
import type { KnownServer, OAuthClient } from './remote-server.ts'
import type { Quirks } from './settings/quirks.ts'

type TokenCredential = Extract<Credential, { kind: 'tokens' }>

/** Revokes both tokens by RFC 7009. False when the server has no revocation endpoint, or refused. */
export async function revokeTokens(
  { configuration }: KnownServer,
  { accessToken, refreshToken }: TokenCredential,
): Promise<boolean> {
  if (configuration.serverMetadata().revocation_endpoint === undefined) return false
  // The refresh token first: most servers then revoke the access tokens made from it too.
  const renewable = refreshToken === undefined ? undefined : await revoked(refreshToken, 'refresh_token')
  const usable = await revoked(accessToken, 'access_token')
  if (renewable === undefined) return usable === 'revoked'
  return renewable === 'revoked' && usable !== 'failed'

  async function revoked(token: string, hint: string): Promise<'revoked' | 'unsupported' | 'failed'> {
    try {
      await tokenRevocation(configuration, token, { token_type_hint: hint })
      return 'revoked'
    } catch (error) {
      // Some servers cannot revoke access tokens, which then expire by themselves.
      return failureOf(error).error === 'unsupported_token_type' ? 'unsupported' : 'failed'
    }
  }
}

/** Deletes the person's whole grant to this client, which is how GitHub revokes. */
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
