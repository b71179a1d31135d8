import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { BadArgument } from '../../src/base/errors.ts'
import { LoginUnavailable } from '../../src/oauth/errors.ts'
import { loginByTokens } from '../../src/oauth/login/verify-token.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { startIssuer } from '../support/oauth/issuer.ts'

const audience = 'https://assent.test/mcp'
const seconds = (date: Date) => Math.floor(date.getTime() / 1_000)

describe('whom a token speaks for', () => {
  test('is its subject at its issuer, with client, scopes and groups', async () => {
    const { issuer, mint } = await startIssuer()
    const login = loginByTokens({ issuer, audience })

    const token = await mint({ scope: 'read write', groups: ['staff'], aud: ['https://other.test', audience] })
    expect(await login.byToken(token)).toMatchObject({
      participant: `ada@${issuer}`,
      client: 'editor',
      scopes: ['read', 'write'],
      groups: ['staff'],
    })
  })

  test.each([
    { claims: { client_id: undefined, azp: 'web' }, said: { client: 'web' } },
    { claims: { client_id: undefined }, said: { client: 'unknown' } },
    { claims: { client_id: 7, azp: 'web' }, said: { client: 'web' } },
    { claims: { scp: ['read', 'write'] }, said: { scopes: ['read', 'write'] } },
    { claims: { scp: 'read' }, said: { scopes: ['read'] } },
    { claims: {}, said: { scopes: [], groups: [] } },
    { claims: { groups: 'staff' }, said: { groups: [] } },
    { claims: { groups: ['staff', 1] }, said: { groups: [] } },
  ])('reads $claims as $said', async ({ claims, said }) => {
    const { issuer, mint } = await startIssuer()
    expect(await loginByTokens({ issuer, audience }).byToken(await mint(claims))).toMatchObject(said)
  })

  test('groups come from the claim that was configured', async () => {
    const { issuer, mint } = await startIssuer()
    const login = loginByTokens({ issuer, audience, groupsClaim: 'roles' })
    expect(await login.byToken(await mint({ roles: ['chief'] }))).toMatchObject({ groups: ['chief'] })
  })
})

describe('tokens that are nobody’s (O-01, S-06)', () => {
  const now = Math.floor(Date.now() / 1_000)
  test.each([
    { flaw: 'meant for another server', claims: { aud: 'https://other.test/mcp' } },
    { flaw: 'meant for nobody', claims: { aud: undefined } },
    { flaw: 'of another issuer', claims: { iss: 'https://evil.test' } },
    { flaw: 'of an issuer with a slash more', claims: { iss: 'slash' } },
    { flaw: 'without issuer', claims: { iss: undefined } },
    { flaw: 'expired', claims: { exp: now - 10 } },
    { flaw: 'without expiry', claims: { exp: undefined } },
    { flaw: 'not valid yet', claims: { nbf: now + 60 } },
    { flaw: 'without subject', claims: { sub: undefined } },
    { flaw: 'with an empty subject', claims: { sub: '' } },
    { flaw: 'with a subject that is no text', claims: { sub: 42 } },
    { flaw: 'of an unknown key', claims: {}, header: { kid: 'two' } },
    { flaw: 'for logging out', claims: {}, header: { typ: 'logout+jwt' } },
  ])('$flaw', async ({ claims, header }) => {
    const { issuer, mint } = await startIssuer()
    const token = await mint(claims.iss === 'slash' ? { iss: `${issuer}/` } : claims, header)
    expect(await loginByTokens({ issuer, audience }).byToken(token)).toBeUndefined()
  })

  test('signed by someone else with the same key id', async () => {
    const { issuer, mint } = await startIssuer()
    const [, payload] = (await mint()).split('.')
    const { privateKey } = await generateKeyPair('ES256')
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString())
    const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey)
    expect(await loginByTokens({ issuer, audience }).byToken(forged)).toBeUndefined()
  })

  test('changed after signing', async () => {
    const { issuer, mint } = await startIssuer()
    const [header, , signature] = (await mint()).split('.')
    const [, otherPayload] = (await mint({ sub: 'eve' })).split('.')
    const login = loginByTokens({ issuer, audience })
    expect(await login.byToken([header, otherPayload, signature].join('.'))).toBeUndefined()
  })

  test('unsigned, of a shared secret, and garbage do not even make us fetch keys', async () => {
    const { issuer, requests } = await startIssuer()
    const login = loginByTokens({ issuer, audience })
    const claims = { iss: issuer, aud: audience, sub: 'ada', exp: now + 300 }
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(Buffer.alloc(32))

    for (const token of [new UnsecuredJWT(claims).encode(), shared, 'garbage', 'a.b.c', '']) {
      expect(await login.byToken(token)).toBeUndefined()
    }
    expect(requests).toEqual([])
  })
})

describe('time', () => {
  test('a token counts for five seconds after its expiry, and no longer, remembered or not', async () => {
    const clock = fixedClock()
    const { issuer, mint } = await startIssuer()
    const login = loginByTokens({ issuer, audience, clock })
    const token = await mint({ exp: seconds(clock.now()) + 30 })

    expect(await login.byToken(token)).toMatchObject({ expiresAt: new Date(clock.now().getTime() + 35_000) })
    clock.advance(34_000)
    expect(await login.byToken(token)).toBeDefined()
    clock.advance(2_000)
    expect(await login.byToken(token)).toBeUndefined()
  })

  test('what was verified is verified again after a minute', async () => {
    const clock = fixedClock()
    const { issuer, mint, fail, requests } = await startIssuer()
    const token = await mint({ exp: seconds(clock.now()) + 3_600 })
    const login = loginByTokens({ issuer, audience, clock })
    await login.byToken(token)
    const asked = requests.length

    fail(500)
    clock.advance(59_000)
    expect(await login.byToken(token)).toBeDefined()
    clock.advance(2_000)
    // The keys are still there, so the issuer need not be.
    expect(await login.byToken(token)).toBeDefined()
    expect(requests).toHaveLength(asked)
  })
})

describe('keys', () => {
  test.each(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])(
    'are found through %s',
    async (place) => {
      const { issuer, mint } = await startIssuer(place)
      expect(await loginByTokens({ issuer, audience }).byToken(await mint())).toBeDefined()
    },
  )

  test('are fetched once for many tokens', async () => {
    const { issuer, mint, requests } = await startIssuer()
    const login = loginByTokens({ issuer, audience, jwksUri: `${issuer}/keys` })
    for (const sub of ['ada', 'bob', 'eve']) expect(await login.byToken(await mint({ sub }))).toBeDefined()
    expect(requests).toEqual(['/keys'])
  })

  test('out of reach, no token is called bad; back again, all is well', async () => {
    const { issuer, mint, fail, recover } = await startIssuer()
    const login = loginByTokens({ issuer, audience })
    const token = await mint()

    fail(500)
    await expect(login.byToken(token)).rejects.toThrow(LoginUnavailable)
    recover()
    expect(await login.byToken(token)).toBeDefined()
  })

  test('are not looked for where a redirect leads (S-07)', async () => {
    const [{ issuer, mint, fail }, elsewhere] = [await startIssuer(), await startIssuer()]
    fail(302, `${elsewhere.issuer}/keys`)
    const token = await mint()

    for (const options of [{}, { jwksUri: `${issuer}/keys` }]) {
      await expect(loginByTokens({ issuer, audience, ...options }).byToken(token)).rejects.toThrow(LoginUnavailable)
    }
    expect(elsewhere.requests).toEqual([])
  })

  test('are taken only from the issuer’s own metadata', async () => {
    const { issuer } = await startIssuer()
    const { mint } = await startIssuer()
    const localhost = issuer.replace('127.0.0.1', 'localhost')
    const login = loginByTokens({ issuer: localhost, audience })
    await expect(login.byToken(await mint({ iss: localhost }))).rejects.toThrow(LoginUnavailable)
  })

  test.each(['http://login.example.com', 'ftp://127.0.0.1', 'login'])('are never fetched from %s', (address) => {
    expect(() => loginByTokens({ issuer: address, audience })).toThrow(BadArgument)
    expect(() => loginByTokens({ issuer: 'https://login.example.com', jwksUri: address, audience })).toThrow(
      BadArgument,
    )
  })
})
