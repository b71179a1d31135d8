import { generateKeyPair, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import type { ConsentRequest } from '../../src/connection/provider.ts'
import { startOAuthServer } from '../support/oauth/oauth-server.ts'
import { beginAt, consentAt, newRequest, redirectUri } from './consents.ts'
import { type Answer, fakeServer } from './fake-server.ts'

/** An OpenID server that answers with whatever the test wants. */
async function oddServer(odd: { metadata?: Record<string, unknown>; token?: Answer } = {}) {
  const server = await fakeServer(({ url: { pathname } }, url) => {
    if (pathname === '/.well-known/openid-configuration') {
      return {
        body: {
          issuer: url,
          authorization_endpoint: `${url}/auth`,
          token_endpoint: `${url}/token`,
          id_token_signing_alg_values_supported: ['ES256'],
          ...odd.metadata,
        },
      }
    }
    return pathname === '/token' && odd.token ? odd.token : { status: 404 }
  })
  return { issuer: server.url, arrived: server.arrived }
}

function backWith(request: ConsentRequest, params: Record<string, string> = {}): URL {
  const url = new URL(redirectUri)
  url.search = new URLSearchParams({ state: request.state, code: 'the-code', ...params }).toString()
  return url
}

describe('someone who comes back with the wrong answer', () => {
  test.each([
    { flaw: 'another state', change: { state: 'forged' }, reason: 'state_mismatch' },
    { flaw: 'another issuer (RFC 9207, O-07)', change: { iss: 'https://evil.test' }, reason: 'issuer_mismatch' },
    {
      flaw: 'another issuer and a no',
      change: { iss: 'https://evil.test', error: 'access_denied' },
      reason: 'issuer_mismatch',
    },
    { flaw: 'a slash more in the issuer (O-07)', change: { iss: 'slash' }, reason: 'issuer_mismatch' },
    { flaw: 'no issuer, though it was promised', change: { iss: undefined }, reason: 'issuer_missing' },
    { flaw: 'no code', change: { code: undefined }, reason: 'bad_answer' },
    { flaw: 'another code', change: { code: 'forged' }, reason: 'invalid_grant' },
    { flaw: 'an error of the server', change: { error: 'server_error' }, reason: 'server_error' },
    { flaw: 'an error', change: { error: 'invalid_scope' }, reason: 'provider_error' },
  ])('fails: $flaw', async ({ change, reason }) => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest()
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada' })
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) callback.searchParams.delete(name)
      else callback.searchParams.set(name, value === 'slash' ? `${server.issuer}/` : value)
    }
    expect(await consent.complete(request, callback)).toMatchObject({ kind: 'failed', reason })
    // What is known to be wrong is not taken to the token endpoint.
    expect(server.count('/token')).toBe(reason === 'invalid_grant' ? 1 : 0)
  })

  test('fails when something is said twice', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest()
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada' })
    callback.searchParams.append('code', 'another')
    expect(await consent.complete(request, callback)).toMatchObject({ kind: 'failed', reason: 'bad_answer' })
  })

  test('fails with the verifier of another visit, and the code is used up by its own', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest()
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada' })
    const stolen = { ...request, verifier: newRequest().verifier }
    expect(await consent.complete(stolen, callback)).toMatchObject({ kind: 'failed', reason: 'invalid_grant' })
  })

  test('fails with the nonce of another visit', async () => {
    const server = await startOAuthServer()
    const consent = consentAt(server)
    const request = newRequest()
    const callback = await server.visit(await beginAt(consent, request), { account: 'ada' })
    const other = { ...request, nonce: newRequest().nonce }
    expect(await consent.complete(other, callback)).toMatchObject({ kind: 'failed', reason: 'nonce_mismatch' })
  })

  test('an issuer given with the endpoints is held against the answer', async () => {
    const { issuer } = await oddServer()
    const given = { issuer, authorizationEndpoint: `${issuer}/auth`, tokenEndpoint: `${issuer}/token` }
    const consent = consentAt({ issuer }, { server: given })
    const request = newRequest()
    const callback = backWith(request, { iss: 'https://evil.test' })
    expect(await consent.complete(request, callback)).toMatchObject({ kind: 'failed', reason: 'issuer_mismatch' })
  })
})

describe('id tokens that do not hold', () => {
  const now = Math.floor(Date.now() / 1_000)
  test.each([
    { flaw: 'of another issuer', claims: { iss: 'https://evil.test' }, reason: 'issuer_mismatch' },
    { flaw: 'for another client', claims: { aud: 'another' }, reason: 'audience_mismatch' },
    { flaw: 'without nonce', claims: { nonce: undefined }, reason: 'bad_id_token' },
    { flaw: 'that is over', claims: { exp: now - 3_600 }, reason: 'bad_id_token' },
  ])('fails: one $flaw', async ({ claims, reason }) => {
    const { privateKey } = await generateKeyPair('ES256')
    const token: { body?: unknown } = {}
    const server = await oddServer({ token })
    const request = newRequest()
    const payload = {
      iss: server.issuer,
      aud: 'assent',
      sub: 'ada',
      nonce: request.nonce,
      iat: now,
      exp: now + 60,
      ...claims,
    }
    const idToken = new SignJWT(JSON.parse(JSON.stringify(payload))).setProtectedHeader({ alg: 'ES256' })
    token.body = { access_token: 'a', token_type: 'Bearer', id_token: await idToken.sign(privateKey) }
    expect(await consentAt(server).complete(request, backWith(request))).toMatchObject({ kind: 'failed', reason })
  })

  test('fails when there is none though it was asked for', async () => {
    const server = await oddServer({ token: { body: { access_token: 'a', token_type: 'Bearer' } } })
    const request = newRequest()
    expect(await consentAt(server).complete(request, backWith(request))).toMatchObject({ reason: 'bad_answer' })
  })
})

describe('a server that cannot be used', () => {
  test.each([
    { token: { status: 500 }, reason: 'server_error', message: 'Notes has an internal error. Try again later.' },
    { token: { status: 429 }, reason: 'rate_limited' },
    { token: { body: '{"access_' }, reason: 'bad_answer', message: 'Notes sent an answer that cannot be read.' },
    { token: { body: '<h1>', type: 'text/html' }, reason: 'bad_answer' },
    { token: { body: 'null' }, reason: 'bad_answer' },
    { token: { body: { access_token: 7, token_type: 'Bearer' } }, reason: 'bad_answer' },
    { token: { body: { access_token: 'a', token_type: 'mac' } }, reason: 'bad_answer' },
    { token: { body: { access_token: 'a', token_type: 'Bearer', expires_in: -1 } }, reason: 'bad_answer' },
    { token: { status: 302 }, reason: 'redirected' },
    { token: { body: 'x'.repeat(2 ** 20 + 1) }, reason: 'too_large' },
    { token: { status: 401, body: { error: 'invalid_client' } }, reason: 'invalid_client' },
    { token: { status: 400, body: { error: 'invalid_grant' } }, reason: 'invalid_grant' },
    { token: { status: 200, body: { error: 'invalid_grant' } }, reason: 'invalid_grant' },
  ])('ends the exchange as a value: $reason', async ({ token, reason, message }) => {
    const server = await oddServer({ token })
    const request = newRequest(['notes.read'])
    const completed = await consentAt(server).complete(request, backWith(request))
    expect(completed).toMatchObject({ kind: 'failed', reason, ...(message && { message }) })
  })

  test.each([
    { metadata: { issuer: 'https://evil.test' }, reason: 'issuer_mismatch' },
    { metadata: { token_endpoint: undefined }, reason: 'no_metadata' },
    { metadata: { token_endpoint: 7 }, reason: 'bad_answer' },
    { metadata: { token_endpoint: 'http://10.0.0.1/token' }, reason: 'address_refused' },
    { metadata: { authorization_endpoint: 'javascript:alert(1)' }, reason: 'address_refused' },
    { metadata: { authorization_endpoint: 'http://evil.test/auth' }, reason: 'address_refused' },
    { metadata: { revocation_endpoint: 'ftp://evil.test/' }, reason: 'address_refused' },
  ])('sends nobody anywhere when it says $metadata', async ({ metadata, reason }) => {
    const server = await oddServer({ metadata })
    expect(await consentAt(server).begin(newRequest())).toMatchObject({ kind: 'failed', reason })
  })

  test('is said not to be reached, or not to answer', async () => {
    const server = await startOAuthServer()
    const release = server.hold('/.well-known/openid-configuration')
    expect(await consentAt(server, {}, 100).begin(newRequest())).toEqual({
      kind: 'failed',
      reason: 'timed_out',
      message: 'Notes did not answer in time. Try again later.',
    })
    release()
    await server.stop()
    expect(await consentAt(server).begin(newRequest())).toEqual({
      kind: 'failed',
      reason: 'unreachable',
      message: 'Notes could not be reached.',
    })
  })
})

describe('what people are told', () => {
  const told = async (token: Answer, request = newRequest(['notes.read'])) => {
    const server = await oddServer({ token })
    const completed = await consentAt(server).complete(request, backWith(request))
    if (completed.kind !== 'failed') throw new Error(completed.kind)
    return completed
  }

  test('quotes the server, without what could deceive, and not for long', async () => {
    const said = `Wrong\u0000 ”quoted” \u202egnp${'.'.repeat(500)}`
    const { message } = await told({ status: 400, body: { error: 'invalid_grant', error_description: said } })
    expect(message).toMatch(/^Notes did not accept its own code\. Start again\. It said: “Wrong/)
    expect(message).toMatch(/[^“”]”$/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
    expect(message).not.toMatch(/[\u0000-\u001f\u202e]/)
    expect(message.match(/[“”]/g)).toHaveLength(2)
    expect(message.length).toBeLessThan(400)
  })

  test('attack: a server that echoes what it was sent is not quoted', async () => {
    const request = newRequest(['notes.read'])
    const { verifier, nonce } = request
    for (const secret of ['the-code', verifier, nonce, 'assent-secret']) {
      const token = { status: 400, body: { error: 'invalid_grant', error_description: `Bad: ${secret}` } }
      const completed = await told(token, request)
      expect(JSON.stringify(completed)).not.toContain(secret)
      expect(completed.message).toBe('Notes did not accept its own code. Start again.')
    }
  })

  test('attack: an error in the address is quoted, and no secret with it', async () => {
    const { issuer } = await oddServer()
    const request = newRequest()
    const callback = backWith(request, { error: 'invalid_scope', error_description: `Try ${request.verifier}` })
    const completed = await consentAt({ issuer }).complete(request, callback)
    expect(JSON.stringify(completed)).not.toContain(request.verifier)
    expect(completed).toMatchObject({ kind: 'failed', message: 'Notes answered with an error.' })
  })
})
