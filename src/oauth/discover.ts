import { isPlainObject } from '../base/json.ts'
import { fetchJson, loginAddress } from './address.ts'

/** Finds where an issuer keeps its keys, in its OpenID (OIDC Discovery) or else OAuth (RFC 8414) metadata. */
export async function discoverKeys(issuer: string): Promise<URL> {
  const failures: unknown[] = []
  for (const place of placesOf(loginAddress(issuer))) {
    try {
      return keysFrom(await fetchJson(place), issuer)
    } catch (error) {
      failures.push(error)
    }
  }
  throw new AggregateError(failures, `No metadata of ${issuer} could be read`)
}

function placesOf(issuer: URL): URL[] {
  const path = issuer.pathname.replace(/\/$/, '')
  return [`${path}/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server${path}`].map(
    (place) => new URL(place, issuer),
  )
}

function keysFrom(metadata: unknown, issuer: string): URL {
  // Metadata that names another issuer is another issuer's, whoever serves it.
  if (!isPlainObject(metadata) || metadata.issuer !== issuer) throw new Error(`Not the metadata of ${issuer}`)
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`The metadata of ${issuer} names no keys`)
  return loginAddress(metadata.jwks_uri)
}
