import { describe, expect, test } from 'vitest'
import { discover, discoveredAddress } from '../../src/oauth/discover.ts'
import { OAuthFailed } from '../../src/oauth/failures.ts'
import { startIssuer } from '../support/oauth/issuer.ts'

describe('how far metadata may lead', () => {
  test('an issuer on this machine may name others inside', async () => {
    const { issuer } = await startIssuer()
    const found = await discover(issuer)
    expect(found.reach).toBe('anywhere')
    expect(discoveredAddress(found, 'jwks_uri')?.href).toBe(`${issuer}/keys`)
  })

  test.each(['http://127.0.0.1/keys', 'http://localhost/keys', 'http://keys.test/', 'file:///keys', 'keys'])(
    'attack: an issuer on the internet names %s, which is refused before anybody is sent there',
    (address) => {
      const found = { metadata: { jwks_uri: address }, reach: 'internet' } as const
      expect(() => discoveredAddress(found, 'jwks_uri')).toThrow(OAuthFailed)
    },
  )

  test('what is not named is not there', () => {
    expect(discoveredAddress({ metadata: {}, reach: 'internet' }, 'jwks_uri')).toBeUndefined()
  })
})
