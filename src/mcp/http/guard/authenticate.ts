import type { AuthInfo } from '@modelcontextprotocol/server'
import type { Clock } from '../../../base/clock.ts'
import type { Identified, Login } from '../../../participant/identify.ts'
import { refusal } from '../replies.ts'
import { challenge } from './challenge.ts'
import type { ProtectedResource } from './resource.ts'

/** Finds out who sent a request, by its Authorization header. A Response says what is missing. */
export type Authenticate = (authorization: string | null) => Promise<AuthInfo | Response>

export function authenticateBy(
  login: Login,
  resource: ProtectedResource,
  clock: Clock,
  onError: (error: unknown) => void,
): Authenticate {
  return async (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) return challenge(resource, 'no_token')

    let identified: Identified | undefined
    try {
      identified = await login.byToken(token)
    } catch (error) {
      onError(error)
      // The token may be valid, and a 401 would make the client discard it.
      return refusal(503, 'Tokens cannot be checked right now. Try again later.', { headers: { 'Retry-After': '5' } })
    }
    if (identified === undefined || isOver(identified, clock.now())) return challenge(resource, 'invalid_token')
    const { scopes } = identified
    if (!resource.scopes.every((scope) => scopes.includes(scope))) return challenge(resource, 'insufficient_scope')
    return authInfoOf(identified, resource)
  }
}

function bearerToken(authorization: string | null): string | undefined {
  return /^Bearer +([\w~+/.-]+=*) *$/i.exec(authorization ?? '')?.[1]
}

const isOver = ({ expiresAt }: Identified, now: Date) => expiresAt !== undefined && expiresAt <= now

function authInfoOf(identified: Identified, resource: ProtectedResource): AuthInfo {
  const { participant, groups, client, scopes, expiresAt } = identified
  return {
    // No handler needs the token, so no handler gets it and could forward it (O-02).
    token: '',
    clientId: client,
    scopes: [...scopes],
    ...(expiresAt !== undefined && { expiresAt: Math.floor(expiresAt.getTime() / 1_000) }),
    resource: resource.url,
    resourceMetadataUrl: resource.metadataUrl,
    extra: { participant, groups, requiredScopes: resource.scopes },
  }
}
