import { BadArgument } from '../base/errors.ts'
import { type Failure, OAuthFailed } from './failures.ts'
import type { KnownServer } from './remote-server.ts'

/** What somebody was sent away with. */
interface SentAway {
  readonly state: string
  readonly redirectUri: string
}

type Said = { readonly kind: 'code'; readonly code: string; readonly url: URL } | { readonly kind: 'denied' }

/**
 * Reads the address that a server sent somebody back to. Nothing in it counts before it is known that it answers this
 * visit, and comes from this server (RFC 9207).
 */
export function readCallback(callback: URL, { state, redirectUri }: SentAway, server: KnownServer): Said {
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

/** The address in its one spelling: it is sent twice, and servers compare letters. */
export function plainRedirectUri(redirectUri: string): URL {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined
  if (url === undefined || url.search !== '' || url.hash !== '') {
    throw new BadArgument(`"${redirectUri}" must be a whole address, without a query.`)
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
