import { describe, expect, test } from 'vitest'
import { oauthConsent } from '../../src/oauth/consent.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { startOAuthServer } from '../support/oauth/oauth-server.ts'
import { beginAt, connect, consentAt, newRequest, redirectUri } from './consents.ts'

const read = (url: string, accessToken: string) => fetch(url, { headers: { Authorization: `Bearer ${accessToken}` } })

describe('connecting an account', () => {
  test('brings tokens that open it, with the scopes in effect, when they end, and whose it is', async () => {
    const server = await startOAuthServer({ accessTokenTtl: 600 })
    const consent = consentAt(server)

    const tokens = await connect(server, consent)
    expect(tokens).toMatchObject({
      scopes: ['openid', 'profile', 'notes.read'],
      expiresAt: new Date(consent.clock.now().getTime() + 600_000),
      account: 'ada',
    })
    const notes = await read(server.endpoints.notes, tokens.credential.accessToken)
    expect(await notes.json()).toMatchObject({ account: 'ada' })
  })

  test('asks with PKCE, state, nonce and what settings add, and never with a secret (O-07)', async () => {
    const server = await startOAuthServer()
    const request = newRequest()
    const consent = consentAt(server, {
      resource: 'https://notes.test/api',
      audience: 'notes',
      extraParams: { prompt: 'consent' },
    })

    const { origin, pathname, searchParams } = new URL(await beginAt(consent, request))
    expect(`${origin}${pathname}`).toBe(server.endpoints.authorization)
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'assent',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile notes.read',
      state: request.state,
      nonce: request.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      resource: 'https://notes.test/api',
      audience: 'notes',
      prompt: 'consent',
    })
    expect(searchParams.get('code_challenge')).not.toBe(request.verifier)
  })

  test('without scopes it names none', async () => {
    const server = await startOAuthServer()
    const { searchParams } = new URL(await beginAt(consentAt(server), newRequest([])))
    expect(searchParams.has('scope')).toBe(false)
  })

  test('the resource is named to the token endpoint too (O-07)', async () => {
    const server = await startOAuthServer()
    const tokens = await connect(server, consentAt(server, { resource: 'https://notes.test/api' }))
    const [, claims = ''] = tokens.credential.accessToken.split('.')
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: 'https://notes.test/api' })
  })

  test('what the person left out is not among the scopes', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest(['notes.read', 'notes.write'])
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada', scopes: ['notes.read'] })
    expect(await consent.complete(request, callback)).toMatchObject({
      kind: 'granted',
      tokens: { scopes: ['notes.read'] },
    })
  })

  test('a person who says no has denied', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest()
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada', allow: false })
    expect(await consent.complete(request, callback)).toEqual({ kind: 'denied' })
  })

  test.each([
    { way: 'a secret in the body', client: { clientId: 'posting', clientAuthentication: 'client_secret_post' } },
    { way: 'no secret, though there is one', client: { clientId: 'public', clientAuthentication: 'none' } },
  ] as const)('works with $way', async ({ client }) => {
    const posting = {
      client_id: 'posting',
      client_secret: 'assent-secret',
      token_endpoint_auth_method: 'client_secret_post',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    }
    const server = await startOAuthServer({ clients: [posting] })
    expect(await connect(server, consentAt(server, client))).toMatchObject({ account: 'ada' })
  })

  test('works for a public client, which has no secret', async () => {
    const server = await startOAuthServer()
    const settings = { title: 'Notes', server: { issuer: server.issuer }, clientId: 'public' }
    expect(await connect(server, oauthConsent(settings, { clock: fixedClock() }))).toMatchObject({ account: 'ada' })
  })

  test('needs no discovery where the endpoints are given', async () => {
    const server = await startOAuthServer()
    const { authorization, token, revocation, userinfo } = server.endpoints
    const consent = consentAt(server, {
      server: {
        authorizationEndpoint: authorization,
        tokenEndpoint: token,
        revocationEndpoint: revocation,
        userinfoEndpoint: userinfo,
      },
    })
    const request = newRequest(['notes.read'])
    const tokens = await connect(server, consent, request)
    expect(tokens.scopes).toEqual(['notes.read'])
    expect(server.count('/.well-known/openid-configuration')).toBe(0)
    expect(await consent.revoke(tokens.credential)).toBe(true)
  })

  test('an issuer given with the endpoints is held against the id token', async () => {
    const server = await startOAuthServer()
    const { authorization: authorizationEndpoint, token: tokenEndpoint } = server.endpoints
    const given = { authorizationEndpoint, tokenEndpoint, issuer: server.issuer }
    expect(await connect(server, consentAt(server, { server: given }))).toMatchObject({ account: 'ada' })
  })
})

describe('what a server says of itself', () => {
  test('is asked for once in an hour', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    await Promise.all([consent.begin(newRequest()), consent.begin(newRequest())])
    consent.clock.advance(3_599_000)
    await consent.begin(newRequest())
    expect(server.count('/.well-known/openid-configuration')).toBe(1)

    consent.clock.advance(1_000)
    await consent.begin(newRequest())
    expect(server.count('/.well-known/openid-configuration')).toBe(2)
  })

  test('is asked for again after a failure', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    server.fail('/.well-known/openid-configuration', 503)
    server.fail('/.well-known/oauth-authorization-server', 404)
    expect(await consent.begin(newRequest())).toMatchObject({ kind: 'failed', reason: 'server_error' })

    server.recover()
    expect(await consent.begin(newRequest())).toMatchObject({ kind: 'begun' })
  })

  test('is looked for where OAuth keeps it, when OpenID’s place is empty', async () => {
    const server = await startOAuthServer()
    server.fail('/.well-known/openid-configuration', 404)
    expect(await consentAt(server).begin(newRequest())).toMatchObject({ kind: 'begun' })
  })
})

describe('refreshing', () => {
  test('gives a new access token and the new refresh token, and the old one is used up', async () => {
    const server = await startOAuthServer({ accessTokenTtl: 60 })
    const consent = consentAt(server)
    const first = await connect(server, consent)
    consent.clock.advance(60_000)

    const refreshed = await consent.refresh(first.credential.refreshToken ?? '', first.scopes)
    expect(refreshed).toMatchObject({
      kind: 'granted',
      tokens: { scopes: first.scopes, expiresAt: new Date(consent.clock.now().getTime() + 60_000) },
    })
    const { credential } = (refreshed as Extract<typeof refreshed, { kind: 'granted' }>).tokens
    expect(credential.refreshToken).not.toBe(first.credential.refreshToken)
    expect((await read(server.endpoints.notes, credential.accessToken)).status).toBe(200)

    expect(await consent.refresh(first.credential.refreshToken ?? '', first.scopes)).toEqual({
      kind: 'refused',
      reason: 'invalid_grant',
    })
  })

  test('keeps the refresh token where the server sends no new one', async () => {
    const server = await startOAuthServer({ rotate: false })
    const consent = consentAt(server)
    const { credential, scopes } = await connect(server, consent)
    const refreshed = await consent.refresh(credential.refreshToken ?? '', scopes)
    expect(refreshed).toMatchObject({ tokens: { credential: { refreshToken: credential.refreshToken } } })
  })

  test('is refused once the person took their consent back', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const { credential, scopes } = await connect(server, consent)
    server.revokeAll('ada')
    expect(await consent.refresh(credential.refreshToken ?? '', scopes)).toMatchObject({ kind: 'refused' })
  })

  test.each([
    { status: 500, body: '{}', ends: { kind: 'unavailable', reason: 'server_error' } },
    { status: 503, body: '{"error":"invalid_grant"}', ends: { kind: 'unavailable', reason: 'server_error' } },
    { status: 429, body: '{"error":"slow_down"}', ends: { kind: 'unavailable', reason: 'rate_limited' } },
    { status: 429, body: 'slow', ends: { kind: 'unavailable', reason: 'rate_limited' } },
    { status: 400, body: '<h1>no</h1>', ends: { kind: 'unavailable', reason: 'bad_answer' } },
    { status: 200, body: '<h1>yes</h1>', ends: { kind: 'unavailable', reason: 'bad_answer' } },
    { status: 200, body: '{"token_type":"bearer"}', ends: { kind: 'unavailable', reason: 'bad_answer' } },
    { status: 400, body: '{"error":"temporarily_unavailable"}', ends: { kind: 'unavailable', reason: 'server_error' } },
    { status: 401, body: '{"error":"invalid_client"}', ends: { kind: 'unavailable', reason: 'invalid_client' } },
    { status: 400, body: '{"error":"invalid_grant"}', ends: { kind: 'refused', reason: 'invalid_grant' } },
    { status: 200, body: '{"error":"bad_refresh_token"}', ends: { kind: 'refused', reason: 'invalid_grant' } },
    { status: 401, body: '{"error":"unauthorized_client"}', ends: { kind: 'refused', reason: 'invalid_client' } },
    { status: 400, body: '{"error":"invalid_request"}', ends: { kind: 'refused', reason: 'provider_error' } },
  ])('$status $body is $ends.kind', async ({ status, body, ends }) => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    server.fail('/token', status, body)
    expect(await consent.refresh('a-refresh-token', ['notes.read'])).toEqual(ends)
  })

  test('is unavailable while the server cannot be reached, or does not answer', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server, {}, 200)
    await consent.begin(newRequest())

    const release = server.hold('/token')
    expect(await consent.refresh('a-refresh-token', [])).toEqual({ kind: 'unavailable', reason: 'timed_out' })
    release()
    await server.stop()
    expect(await consent.refresh('a-refresh-token', [])).toEqual({ kind: 'unavailable', reason: 'unreachable' })
  })
})

describe('revoking', () => {
  test('ends both tokens', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const { credential, scopes } = await connect(server, consent)

    expect(await consent.revoke(credential)).toBe(true)
    expect((await read(server.endpoints.notes, credential.accessToken)).status).toBe(401)
    expect(await consent.refresh(credential.refreshToken ?? '', scopes)).toMatchObject({ kind: 'refused' })
    expect(server.count('/token/revocation')).toBe(2)
  })

  test('ends an access token that came alone', async () => {
    const server = await startOAuthServer({ refreshTokens: 'never' })
    const consent = consentAt(server)
    const { credential } = await connect(server, consent)
    expect(credential.refreshToken).toBeUndefined()
    expect(await consent.revoke(credential)).toBe(true)
    expect((await read(server.endpoints.notes, credential.accessToken)).status).toBe(401)
  })

  test.each([{ status: 503 }, { status: 400 }])('is false when the server answers $status', async ({ status }) => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const { credential } = await connect(server, consent)
    server.fail('/token/revocation', status)
    expect(await consent.revoke(credential)).toBe(false)
  })

  test('is false where there is nobody to tell', async () => {
    const server = await startOAuthServer()
    const { authorization: authorizationEndpoint, token: tokenEndpoint } = server.endpoints
    const consent = consentAt(server, { server: { authorizationEndpoint, tokenEndpoint } })
    expect(await consent.revoke({ kind: 'tokens', accessToken: 'a' })).toBe(false)
    await server.stop()
    expect(await consentAt(server).revoke({ kind: 'tokens', accessToken: 'a' })).toBe(false)
  })
})
