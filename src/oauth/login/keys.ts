import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from 'jose'
import { guardedFetch, type Reach } from '../../base/guarded-fetch.ts'
import { loginAddress } from '../address.ts'
import { discover, discoveredAddress } from '../discover.ts'
import { LoginUnavailable } from '../errors.ts'

type KeySet = ReturnType<typeof createRemoteJWKSet>

/** The issuer's keys: looked for at first need, kept, fetched again when an unknown key turns up. */
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
      // The keys are there, and the token's is not among them.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      // They may have moved. Good keys are kept, though: one token of an unknown key must not lock out the others.
      if (keys?.fresh !== true) found = undefined
      throw new LoginUnavailable(error)
    }
  }
}

async function discoverKeys(issuer: string): Promise<{ address: URL; reach: Reach }> {
  const discovered = await discover(issuer)
  const address = discoveredAddress(discovered, 'jwks_uri')
  if (address === undefined) throw new Error(`The metadata of ${issuer} names no keys`)
  return { address, reach: discovered.reach }
}
