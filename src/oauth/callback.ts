import { BadArgument } from '../base/errors.ts'
import { isUrl } from '../base/public-address.ts'
import { type Failure, OAuthFailed } from './failures.ts'
import type { KnownServer } from './remote-server.ts'

/** What a person was sent to the server with. */
interface PendingFlow {
  readonly state: string
  readonly redirectUri: string
}

type CallbackResult = { readonly kind: 'code'; readonly code: string; readonly url: URL } | { readonly kind: 'denied' }

/**
 * Reads the address that a server sent a person back to. The state and the issuer (RFC 9207) are checked first: an answer
 * of another server, or to another flow, must not be used.
 */
export function readCallback(callback: URL, { state, redirectUri }: PendingFlow, server: KnownServer): CallbackResult {
  const given = {
    state: single(callback, 'state'),
    iss: single(callback, 'iss'),
    code: single(callback, 'code'),
    error: single(callback, 'error'),
  }
  if (given.state !== state) throw new OAuthFailed({ reason: 'state_mismatch' })
  if (given.iss === undefined && server.sendsIssuer) throw new OAuthFailed({ reason: 'issuer_missing' })
  if (given.iss !== undefined && server.issuer !== undefined && given.iss !== server.issuer) {
    throw new OAuthFailed({ reason: 'issuer_mismatch' })
  }
  if (given.error === 'access_denied') return { kind: 'denied' }
  if (given.error !== undefined) throw new OAuthFailed(refusalIn(callback, given.error))
  if (!given.code) throw new OAuthFailed({ reason: 'bad_answer' })

  const url = plainRedirectUri(redirectUri)
  url.searchParams.set('code', given.code)
  url.searchParams.set('state', state)
  if (given.iss !== undefined && server.issuer !== undefined) url.searchParams.set('iss', given.iss)
  return { kind: 'code', code: given.code, url }
}

/** The address as `URL` spells it. It is sent twice, and servers compare the two letter by letter. */
export function plainRedirectUri(redirectUri: string): URL {
  const url = isUrl(redirectUri) ? new URL(redirectUri) : undefined
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw new BadArgument(
      `"${redirectUri}" must be a full address without a query, such as https://example.com/callback.`,
    )
  }
  return url
}

function single(callback: URL, name: string): string | undefined {
  const [value, ...others] = callback.searchParams.getAll(name)
  if (others.length > 0) throw new OAuthFailed({ reason: 'bad_answer' })
  return value
}

function refusalIn(callback: URL, error: string): Failure {
  const isTheirs = error === 'server_error' || error === 'temporarily_unavailable'
  const said = callback.searchParams.get('error_description') ?? error
  return { reason: isTheirs ? 'server_error' : 'provider_error', error, said }
}
