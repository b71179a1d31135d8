import { FetchFailed, type Reach } from '../base/guarded-fetch.ts'
import { isPlainObject } from '../base/json.ts'
import { isPublicAddress } from '../base/public-address.ts'
import { type Fetching, fetchJson, loginAddress } from './address.ts'
import { failureOf, OAuthFailed } from './failures.ts'

/** The metadata of an issuer, and which addresses it may name. */
export interface Discovered {
  readonly metadata: Readonly<Record<string, unknown>>
  /** An issuer on the internet must not name addresses in a private network. An issuer in a private network may. */
  readonly reach: Reach
}

/**
 * Fetches the metadata of an issuer, by OpenID Connect Discovery or else by RFC 8414. `reach` is for the address of the
 * issuer itself: one that the administrator did not write may be on the internet only.
 */
export async function discover(issuer: string, timeoutMs?: number, reach: Reach = 'anywhere'): Promise<Discovered> {
  const failures: unknown[] = []
  for (const place of placesOf(loginAddress(issuer))) {
    try {
      return await discoverAt(place, issuer, { reach, ...(timeoutMs !== undefined && { timeoutMs }) })
    } catch (error) {
      failures.push(error)
      // The other address is on the same host, which does not answer.
      if (error instanceof FetchFailed && (error.reason === 'unreachable' || error.reason === 'timed_out')) break
    }
  }
  // A missing document at one address says less than any failure at the other.
  const telling = failures.map(failureOf).find(({ reason }) => reason !== 'no_metadata')
  throw new OAuthFailed(
    telling ?? { reason: 'no_metadata' },
    new AggregateError(failures, `No metadata of ${issuer} could be read`),
  )
}

/** An address in the metadata; undefined when it has none. Throws when the address may not be used. */
export function discoveredAddress({ metadata, reach }: Discovered, name: string): URL | undefined {
  const address = metadata[name]
  if (address === undefined) return undefined
  if (typeof address !== 'string') throw new OAuthFailed({ reason: 'bad_answer' })
  const url = addressOrRefuse(address)
  if (reach === 'internet' && url.protocol !== 'https:') throw new OAuthFailed({ reason: 'address_refused' })
  return url
}

async function discoverAt(place: URL, issuer: string, fetching: Fetching): Promise<Discovered> {
  let reach: Reach = 'internet'
  const metadata = await fetchJson(place, {
    ...fetching,
    // The IP address that answered decides, since a host name may resolve to several.
    answeredBy: (address) => {
      if (!isPublicAddress(address)) reach = 'anywhere'
    },
  })
  if (!isPlainObject(metadata)) throw new OAuthFailed({ reason: 'bad_answer' })
  // Metadata must name the issuer that it was fetched for (RFC 8414, section 3.3).
  if (metadata.issuer !== issuer) throw new OAuthFailed({ reason: 'issuer_mismatch' })
  return { metadata, reach }
}

function placesOf(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  const places = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
    // Some servers with a path put it last here too, as RFC 8414 allows for OpenID Connect.
    `/.well-known/openid-configuration${path}`,
  ]
  return [...new Set(places)].map((place) => new URL(place, issuer))
}

function addressOrRefuse(address: string): URL {
  try {
    return loginAddress(address)
  } catch (cause) {
    throw new OAuthFailed({ reason: 'address_refused' }, cause)
  }
}
