import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { loginAddress } from './address.ts'
import { discoverKeys } from './discover.ts'
import { LoginUnavailable } from './errors.ts'

/** The issuer's keys: looked for at first need, kept, fetched again when an unknown key turns up. */
export function keysOf(issuer: string, jwksUri?: string): JWTVerifyGetKey {
  let found: Promise<JWTVerifyGetKey> | undefined

  async function find(): Promise<JWTVerifyGetKey> {
    const address = jwksUri === undefined ? await discoverKeys(issuer) : loginAddress(jwksUri)
    // It follows no redirect, and gives up after the time-out.
    return createRemoteJWKSet(address, { timeoutDuration: 5_000 })
  }

  return async (header, token) => {
    try {
      found ??= find()
      return await (await found)(header, token)
    } catch (error) {
      // The keys are there, and the token's is not among them.
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      found = undefined
      throw new LoginUnavailable(error)
    }
  }
}
