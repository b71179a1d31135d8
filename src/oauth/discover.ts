import { FetchFailed, type Reach } from '../base/guarded-fetch.ts'
import { isPlainObject } from '../base/json.ts'
import { isPublicAddress } from '../base/public-address.ts'
import { fetchJson, loginAddress } from './address.ts'
import { failureOf, OAuthFailed } from './failures.ts'

/** What an issuer says of itself, and how far the addresses in it may lead. */
export interface Discovered {
  readonly metadata: Readonly<Record<string, unknown>>
  /** An issuer on the internet must not send us into our own network; one that is inside may name others inside. */
  readonly reach: Reach
}

/** Finds an issuer's own words about itself, in its OpenID (OIDC Discovery) or else OAuth (RFC 8414) metadata. */
export async function discover(issuer: string, timeoutMs?: number): Promise<Discovered> {
  const failures: unknown[] = []
  for (const place of placesOf(loginAddress(issuer))) {
    try {
      return await discoverAt(place, issuer, timeoutMs)
    } catch (error) {
      failures.push(error)
      // Nobody is there to be asked a second time.
      if (error instanceof FetchFailed && (error.reason === 'unreachable' || error.reason === 'timed_out')) break
    }
  }
  // That it is not at one of the places is no news where the other says more.
  const telling = failures.map(failureOf).find(({ reason }) => reason !== 'no_metadata')
  throw new OAuthFailed(
    telling ?? { reason: 'no_metadata' },
    new AggregateError(failures, `No metadata of ${issuer} could be read`),
  )
}

/** An address that the metadata names. Undefined: it names none. Throws where it may not be used. */
export function discoveredAddress({ metadata, reach }: Discovered, name: string): URL | undefined {
  const address = metadata[name]
  if (address === undefined) return undefined
  if (typeof address !== 'string') throw new OAuthFailed({ reason: 'bad_answer' })
  const url = addressOrRefuse(address)
  if (reach === 'internet' && url.protocol !== 'https:') throw new OAuthFailed({ reason: 'address_refused' })
  return url
}

async function discoverAt(place: URL, issuer: string, timeoutMs: number | undefined): Promise<Discovered> {
  let reach: Reach = 'internet'
  const metadata = await fetchJson(place, {
    reach: 'anywhere',
    ...(timeoutMs !== undefined && { timeoutMs }),
    // The address that answered counts, not what its name says: a name can say several.
    answeredBy: (address) => {
      if (!isPublicAddress(address)) reach = 'anywhere'
    },
  })
  if (!isPlainObject(metadata)) throw new OAuthFailed({ reason: 'bad_answer' })
  // Metadata that names another issuer is another issuer's, whoever serves it.
  if (metadata.issuer !== issuer) throw new OAuthFailed({ reason: 'issuer_mismatch' })
  return { metadata, reach }
}

function placesOf(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  return [`${path}/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server${path}`].map(
    (place) => new URL(place, issuer),
  )
}

function addressOrRefuse(address: string): URL {
  try {
    return loginAddress(address)
  } catch (cause) {
    throw new OAuthFailed({ reason: 'address_refused' }, cause)
  }
}
