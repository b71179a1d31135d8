import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { guardedFetch, type Reach } from '../../base/guarded-fetch.ts'
import { loginAddress } from '../address.ts'
import { discover, discoveredAddress } from '../discover.ts'
import { LoginUnavailable } from '../errors.ts'

type KeySet = ReturnType<typeof createRemoteJWKSet>

/** The keys of an issuer: fetched at first use, cached, and fetched again when a token names an unknown key. */
export function keysOf(issuer: string, jwksUri?: string): JWTVerifyGetKey {
  let found: Promise<KeySet> | undefined

  async function find(): Promise<KeySet> {
    const { address, reach } =
      jwksUri === undefined
        ? await discoverKeys(issuer)
        : { address: loginAddress(jwksUri), reach: 'anywhere' as const }
    return createRemoteJWKSet(address, { timeoutDuration: 5_000, [customFetch]: guardedFetch({ reach }) })
  }

  return async (header, token) => {
    let keys: KeySet | undefined
    try {
      found ??= find()
      keys = await found
      return await keys(header, token)
    } catch (error) {
      // The keys could be fetched, and none of them fits the token: the token is bad.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      // The keys may have moved, so they are looked up again. Fresh keys stay: one bad token must not lock out the others.
      if (keys?.fresh !== true) found = undefined
      throw new LoginUnavailable(error)
    }
  }
}

async function discoverKeys(issuer: string): Promise<{ address: URL; reach: Reach }> {
  const discovered = await discover(issuer)
  const address = discoveredAddress(discovered, 'jwks_uri')
  if (address === undefined) throw new Error(`The metadata of ${issuer} has no jwks_uri`)
  return { address, reach: discovered.reach }
}
