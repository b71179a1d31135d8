import { randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { loginByTokens } from '../../src/oauth/login/verify-token.ts'
import type { PageLogin, SigningIn } from '../../src/participant/identify.ts'
import { type OAuthServer, oauthClient, startOAuthServer } from '../support/oauth/oauth-server.ts'
import { fakeServer } from './fake-server.ts'

const audience = 'https://assent.test/mcp'
const random = () => randomBytes(32).toString('base64url')
const newSigning = (): SigningIn => ({
  state: random(),
  nonce: random(),
  verifier: random(),
  redirectUri: 'http://127.0.0.1:4180/login/callback',
})

function pagesOf(issuer: string, options: Record<string, string> = {}): PageLogin {
  const { onPages } = loginByTokens({ issuer, audience, ...oauthClient, ...options })
  if (onPages === undefined) throw new Error('no page login')
  return onPages
}

async function signIn(server: OAuthServer, pages: PageLogin, signing: SigningIn, allow = true): Promise<URL> {
  const begun = await pages.begin(signing)
  if (begun.kind !== 'begun') throw new Error(begun.message)
  return server.visit(begun.url, { account: 'ada', allow })
}

describe('signing in on a page', () => {
  test('makes the same participant as a token of that person, with their groups', async () => {
    const server = await startOAuthServer({ groups: { ada: ['staff'] } })
    const login = loginByTokens({ issuer: server.issuer, audience, ...oauthClient })
    const byToken = await login.byToken(await server.tokenFor('ada', { audience }))
    const pages = pagesOf(server.issuer)
    const signing = newSigning()

    expect(await pages.complete(signing, await signIn(server, pages, signing))).toEqual({
      kind: 'signed-in',
      who: { participant: byToken?.participant, groups: ['staff'], name: 'ada of the tests' },
    })
    expect(byToken?.groups).toEqual(['staff'])
  })

  test('is there only where a client was set up', async () => {
    const server = await startOAuthServer()
    expect(loginByTokens({ issuer: server.issuer, audience })).not.toHaveProperty('onPages')
    const signing = newSigning()
    const pages = loginByTokens({ issuer: server.issuer, audience, clientId: 'public' }).onPages as PageLogin
    expect(await pages.complete(signing, await signIn(server, pages, signing))).toMatchObject({ kind: 'signed-in' })
  })

  test.each([
    { userinfo: { sub: 'ada', groups: ['staff'] }, ended: { kind: 'signed-in', who: { groups: ['staff'] } } },
    { userinfo: { sub: 'ada' }, ended: { kind: 'signed-in', who: { groups: [] } } },
    // Groups decide what people may do, and these are somebody else's.
    { userinfo: { sub: 'bob', groups: ['chiefs'] }, ended: { kind: 'failed' } },
  ])('asks for the groups where the id token does not tell them: $userinfo', async ({ userinfo, ended }) => {
    const server = await startOAuthServer({ groups: { ada: ['unread'] } })
    server.fail('/me', 200, JSON.stringify({ ...userinfo, roles: userinfo.groups }))
    const pages = pagesOf(server.issuer, { groupsClaim: 'roles' })
    const signing = newSigning()
    expect(await pages.complete(signing, await signIn(server, pages, signing))).toMatchObject(ended)
  })

  test('fails plainly when the person says no, the login is away, or something is not theirs', async () => {
    const server = await startOAuthServer()
    const pages = pagesOf(server.issuer)
    const signing = newSigning()
    const denied = await signIn(server, pages, signing, false)
    expect(await pages.complete(signing, denied)).toEqual({ kind: 'failed', message: 'You did not sign in.' })

    const callback = await signIn(server, pages, signing)
    for (const change of [{ state: random() }, { nonce: random() }, { verifier: random() }]) {
      expect(await pages.complete({ ...signing, ...change }, callback)).toMatchObject({ kind: 'failed' })
    }
    await server.stop()
    const away = pagesOf(server.issuer)
    expect(await away.begin(newSigning())).toEqual({ kind: 'failed', message: 'The login could not be reached.' })
  })

  test('attack: the code of one visit does not sign in another', async () => {
    const server = await startOAuthServer()
    const pages = pagesOf(server.issuer)
    const [mine, theirs] = [newSigning(), newSigning()]
    const callback = await signIn(server, pages, theirs)
    callback.searchParams.set('state', mine.state)
    expect(await pages.complete(mine, callback)).toMatchObject({ kind: 'failed' })
  })
})

describe('attack: a forged id token', () => {
  const now = Math.floor(Date.now() / 1_000)
  test.each([
    { flaw: 'none', signedIn: true },
    { flaw: 'signed by another key', otherKey: true },
    { flaw: 'for another client', claims: { aud: 'another' } },
    { flaw: 'for several, and given to another', claims: { aud: ['assent', 'another'], azp: 'another' } },
    { flaw: 'of another issuer', claims: { iss: 'https://evil.test' } },
    { flaw: 'with another nonce', claims: { nonce: 'other' } },
    { flaw: 'that is over', claims: { exp: now - 600 } },
  ])('$flaw', async ({ claims = {}, otherKey = false, signedIn = false }) => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
    const other = await generateKeyPair('ES256')
    const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
    const token: { id_token?: string } = {}
    const server = await fakeServer(({ url: { pathname } }, url) => {
      if (pathname === '/token') return { body: { access_token: 'a', token_type: 'Bearer', ...token } }
      if (pathname === '/jwks') return { body: { keys: [key] } }
      return {
        body: {
          issuer: url,
          authorization_endpoint: `${url}/auth`,
          token_endpoint: `${url}/token`,
          jwks_uri: `${url}/jwks`,
          id_token_signing_alg_values_supported: ['ES256'],
        },
      }
    })
    const signing = newSigning()
    const usual = { iss: server.url, aud: 'assent', sub: 'ada', nonce: signing.nonce, iat: now, exp: now + 60 }
    token.id_token = await new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .sign(otherKey ? other.privateKey : privateKey)

    const callback = new URL(`${signing.redirectUri}?code=c&state=${signing.state}`)
    const ended = await pagesOf(server.url).complete(signing, callback)
    expect(ended.kind).toBe(signedIn ? 'signed-in' : 'failed')
  })
})
