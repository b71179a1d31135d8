import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Consent } from '../../src/connection/provider.ts'
import { type PresetProviderSettings, providersFrom } from '../../src/oauth/providers.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { beginAt, newRequest, redirectUri } from './consents.ts'
import { type Answer, type Arrived, type FakeServer, fakeServer } from './fake-server.ts'

const client = { clientId: 'the-client', clientSecret: 'the-secret' }

function consentOf(settings: Omit<PresetProviderSettings, 'clientId' | 'clientSecret'>): Consent {
  const clock = fixedClock()
  const provider = providersFrom({ it: { ...settings, ...client } }, { clock }).get('it')
  if (provider?.by.kind !== 'consent') throw new Error('no consent')
  return provider.by.consent
}

/** Comes back from the fake's authorization page, with a code that is bound to the challenge. */
async function comeBack(consent: Consent, scopes: readonly string[]) {
  const request = newRequest(scopes)
  const asked = new URL(await beginAt(consent, request))
  const callback = new URL(asked.searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', `code-for-${asked.searchParams.get('code_challenge')}`)
  callback.searchParams.set('state', asked.searchParams.get('state') ?? '')
  return { request, asked, callback }
}

const isItsCode = (form: URLSearchParams) =>
  form.get('code') ===
  `code-for-${createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')}`

const basic = `Basic ${Buffer.from('the-client:the-secret').toString('base64')}`

describe('GitHub', () => {
  /** As GitHub does it: errors with 200, form-encoded unless JSON is asked for, scopes with commas, no id token. */
  const github = (tokens: Record<string, unknown>): Promise<FakeServer> =>
    fakeServer(({ method, url, headers, body }) => {
      const form = new URLSearchParams(body)
      if (method === 'POST' && url.pathname === '/login/oauth/access_token') {
        const answer =
          form.get('client_secret') !== 'the-secret'
            ? { error: 'incorrect_client_credentials' }
            : form.get('grant_type') === 'refresh_token' || form.get('redirect_uri') !== redirectUri
              ? { error: 'bad_refresh_token', error_description: 'The refresh token passed is incorrect or expired.' }
              : isItsCode(form)
                ? tokens
                : { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
        if (headers.accept?.includes('application/json')) return { body: answer }
        return {
          type: 'application/x-www-form-urlencoded',
          body: new URLSearchParams(answer as Record<string, string>).toString(),
        }
      }
      // The API turns away whoever does not say who they are.
      if (headers['user-agent'] === undefined) return { status: 403 }
      if (url.pathname === '/api/v3/user') {
        return headers.authorization === 'Bearer gho_token' ? { body: { login: 'octo-ada', id: 7 } } : { status: 401 }
      }
      if (method === 'DELETE' && url.pathname === '/api/v3/applications/the-client/grant') {
        const known = headers.authorization === basic && JSON.parse(body).access_token === 'gho_token'
        return { status: known ? 204 : 404 }
      }
      return { status: 404 }
    })

  const lasting = { access_token: 'gho_token', token_type: 'bearer', scope: 'repo,user' }

  test('gives a token that does not end, and says whose it is', async () => {
    const { url } = await github(lasting)
    const consent = consentOf({ preset: 'github', url })
    const { request, callback, asked } = await comeBack(consent, ['repo', 'user:email'])

    expect(`${asked.origin}${asked.pathname}`).toBe(`${url}/login/oauth/authorize`)
    expect(asked.searchParams.has('nonce')).toBe(false)
    const completed = await consent.complete(request, callback)
    expect(completed).toMatchObject({
      kind: 'granted',
      tokens: { credential: { kind: 'tokens', accessToken: 'gho_token' }, account: 'octo-ada' },
    })
    expect(completed).not.toHaveProperty('tokens.expiresAt')
  })

  test('names only the widest scopes, and those within them count too', async () => {
    const { url } = await github(lasting)
    const consent = consentOf({ preset: 'github', url })
    const { request, callback } = await comeBack(consent, ['repo', 'user:email'])
    const completed = await consent.complete(request, callback)
    if (completed.kind !== 'granted') throw new Error(completed.kind)
    expect(completed.tokens.scopes).toEqual(expect.arrayContaining(['repo', 'user', 'user:email', 'public_repo']))
    expect(completed.tokens.scopes).not.toContain('openid')
  })

  test('gives tokens that end where the app is set so', async () => {
    const { url } = await github({ ...lasting, scope: '', expires_in: 28_800, refresh_token: 'ghr_token' })
    const consent = consentOf({ preset: 'github', url })
    const { request, callback } = await comeBack(consent, [])
    expect(await consent.complete(request, callback)).toMatchObject({
      tokens: {
        credential: { refreshToken: 'ghr_token' },
        expiresAt: new Date(fixedClock().now().getTime() + 28_800_000),
        scopes: [],
      },
    })
  })

  test('says with 200 that a code or a refresh token is bad, and it is understood', async () => {
    const { url } = await github(lasting)
    const consent = consentOf({ preset: 'github', url })
    const { request, callback } = await comeBack(consent, ['repo'])
    callback.searchParams.set('code', 'forged')
    expect(await consent.complete(request, callback)).toEqual({
      kind: 'failed',
      reason: 'invalid_grant',
      message: 'GitHub did not accept its own code. Start again. It said: “The code passed is incorrect or expired.”',
    })
    expect(await consent.refresh('ghr_old', ['repo'])).toEqual({ kind: 'refused', reason: 'invalid_grant' })
  })

  test('is told by its own way that the grant is given up', async () => {
    const { url } = await github(lasting)
    const consent = consentOf({ preset: 'github', url })
    expect(await consent.revoke({ kind: 'tokens', accessToken: 'gho_token' })).toBe(true)
    expect(await consent.revoke({ kind: 'tokens', accessToken: 'unknown' })).toBe(false)
  })

  test('is on the internet unless settings say otherwise', async () => {
    const { asked } = await comeBack(consentOf({ preset: 'github' }), ['repo'])
    expect(`${asked.origin}${asked.pathname}`).toBe('https://github.com/login/oauth/authorize')
  })
})

describe('Nextcloud', () => {
  /** As Nextcloud does it: no scopes, the user in the token response, refresh tokens that work once. */
  function nextcloud(): Promise<FakeServer> {
    let turn = 1
    return fakeServer(({ url, body }: Arrived): Answer => {
      if (url.pathname !== '/cloud/index.php/apps/oauth2/api/v1/token') return { status: 404 }
      const form = new URLSearchParams(body)
      if (form.get('client_id') !== 'the-client' || form.get('client_secret') !== 'the-secret') {
        return { status: 400, body: { error: 'invalid_client' } }
      }
      const isGood =
        form.get('grant_type') === 'refresh_token' ? form.get('refresh_token') === `refresh-${turn++}` : isItsCode(form)
      if (!isGood) return { status: 400, body: { error: 'invalid_request' } }
      return {
        body: {
          access_token: `access-${turn}`,
          token_type: 'Bearer',
          expires_in: 3_600,
          refresh_token: `refresh-${turn}`,
          user_id: 'ada',
        },
      }
    })
  }

  test('never says scopes, so those asked for count as granted', async () => {
    const { url } = await nextcloud()
    const consent = consentOf({ preset: 'nextcloud', url: `${url}/cloud/` })
    const { request, callback, asked } = await comeBack(consent, ['files'])

    expect(asked.pathname).toBe('/cloud/index.php/apps/oauth2/authorize')
    expect(await consent.complete(request, callback)).toMatchObject({
      kind: 'granted',
      tokens: { scopes: ['files'], account: 'ada', credential: { refreshToken: 'refresh-1' } },
    })
  })

  test('gives a new refresh token each time, and the old one is refused', async () => {
    const { url } = await nextcloud()
    const consent = consentOf({ preset: 'nextcloud', url: `${url}/cloud` })
    expect(await consent.refresh('refresh-1', ['files'])).toMatchObject({
      kind: 'granted',
      tokens: { credential: { accessToken: 'access-2', refreshToken: 'refresh-2' }, scopes: ['files'] },
    })
    expect(await consent.refresh('refresh-1', ['files'])).toMatchObject({ kind: 'refused' })
  })

  test('cannot be told that tokens are given up', async () => {
    const { url, arrived } = await nextcloud()
    const consent = consentOf({ preset: 'nextcloud', url: `${url}/cloud` })
    expect(await consent.revoke({ kind: 'tokens', accessToken: 'access-1' })).toBe(false)
    expect(arrived).toHaveLength(0)
  })
})

describe('the other presets', () => {
  const answering = (scope: string | undefined, more: Record<string, string> = {}) =>
    fakeServer(
      (): Answer => ({ body: { access_token: 'a', token_type: 'bearer', refresh_token: 'r', scope, ...more } }),
    )

  test('Google is asked for a refresh token, and its renamed scopes count as those asked for', async () => {
    const { url } = await answering('https://www.googleapis.com/auth/userinfo.email')
    const consent = consentOf({ preset: 'google', url })
    const { request, callback, asked } = await comeBack(consent, ['email'])

    expect(Object.fromEntries(asked.searchParams)).toMatchObject({ access_type: 'offline', prompt: 'consent' })
    expect(await consent.complete(request, callback)).toMatchObject({
      tokens: { scopes: expect.arrayContaining(['email']), credential: { refreshToken: 'r' } },
    })
  })

  test('Microsoft says scopes with the address of its API, and only those that it granted count', async () => {
    const { url } = await answering('https://graph.microsoft.com/Mail.Read')
    const consent = consentOf({ preset: 'microsoft', url: `${url}/tenant` })
    const { request, callback, asked } = await comeBack(consent, ['Mail.Read', 'Mail.Send', 'offline_access'])

    expect(asked.pathname).toBe('/tenant/oauth2/v2.0/authorize')
    expect(await consent.complete(request, callback)).toMatchObject({
      tokens: { scopes: ['https://graph.microsoft.com/Mail.Read', 'Mail.Read', 'offline_access'] },
    })
  })

  describe('Slack', () => {
    const slack = (tokens: object) =>
      fakeServer(({ url, headers, body }): Answer => {
        if (url.pathname === '/api/auth.test') {
          return { body: headers.authorization === 'Bearer xoxp-1' ? { ok: true, user: 'ada' } : { ok: false } }
        }
        if (url.pathname !== '/api/oauth.v2.user.access') return { status: 404 }
        const form = new URLSearchParams(body)
        if (form.get('client_secret') !== 'the-secret') return { body: { ok: false, error: 'bad_client_secret' } }
        const isGood = isItsCode(form) || form.get('refresh_token') === 'xoxe-1'
        return { body: isGood ? { ok: true, ...tokens } : { ok: false, error: 'invalid_refresh_token' } }
      })
    const personal = {
      access_token: 'xoxp-1',
      token_type: 'user',
      scope: 'chat:write,search:read.public',
      refresh_token: 'xoxe-1',
      expires_in: 43_200,
    }
    const granted = {
      kind: 'granted',
      tokens: {
        credential: { accessToken: 'xoxp-1', refreshToken: 'xoxe-1' },
        scopes: ['chat:write', 'search:read.public'],
        account: 'ada',
      },
    }

    test.each([
      ['in the answer itself', personal],
      ['in a member of it', { authed_user: { id: 'U1', ...personal } }],
      [
        'beside those of a bot',
        { access_token: 'xoxb-1', token_type: 'bot', scope: 'commands', authed_user: personal },
      ],
    ])('gives the tokens of the person: %s', async (_, tokens) => {
      const { url } = await slack(tokens)
      const consent = consentOf({ preset: 'slack', url })
      const { request, callback, asked } = await comeBack(consent, ['chat:write', 'search:read.public'])

      expect(asked.pathname).toBe('/oauth/v2_user/authorize')
      expect(await consent.complete(request, callback)).toMatchObject(granted)
    })

    test('gives no token of a bot for that of a person', async () => {
      const { url } = await slack({ access_token: 'xoxb-1', token_type: 'bot', scope: 'chat:write' })
      const consent = consentOf({ preset: 'slack', url })
      const { request, callback } = await comeBack(consent, ['chat:write'])
      expect(await consent.complete(request, callback)).toMatchObject({ kind: 'failed', reason: 'bad_answer' })
    })

    test('gives new refresh tokens, and its own names of errors are understood', async () => {
      const { url } = await slack({ ...personal, refresh_token: 'xoxe-2' })
      const consent = consentOf({ preset: 'slack', url })
      expect(await consent.refresh('xoxe-1', [])).toMatchObject({ tokens: { credential: { refreshToken: 'xoxe-2' } } })
      expect(await consent.refresh('xoxe-0', [])).toEqual({ kind: 'refused', reason: 'invalid_grant' })
      const unknown = await fakeServer((): Answer => ({ body: { ok: false, error: 'bad_client_secret' } }))
      // The person's consent is not lost by a wrong secret of ours.
      expect(await consentOf({ preset: 'slack', url: unknown.url }).refresh('xoxe-1', [])).toEqual({
        kind: 'unavailable',
        reason: 'invalid_client',
      })
    })
  })

  test('Linear is asked for scopes with commas between them', async () => {
    const { url } = await answering('read,write')
    const consent = consentOf({ preset: 'linear', url })
    const { request, callback, asked } = await comeBack(consent, ['read', 'write'])

    expect(asked.searchParams.get('scope')).toBe('read,write')
    expect(await consent.complete(request, callback)).toMatchObject({ tokens: { scopes: ['read', 'write'] } })
  })

  test('Notion is asked for a person, and its workspace names the account', async () => {
    const { url } = await answering(undefined, { workspace_name: 'Team' })
    const consent = consentOf({ preset: 'notion', url })
    const { request, callback, asked } = await comeBack(consent, [])

    expect(asked.searchParams.get('owner')).toBe('user')
    expect(await consent.complete(request, callback)).toMatchObject({ tokens: { account: 'Team' } })
  })

  test('Atlassian is told which API the tokens are for', async () => {
    const { url } = await answering('read:me')
    const consent = consentOf({ preset: 'atlassian', url })
    const { request, callback, asked } = await comeBack(consent, ['read:me', 'offline_access'])

    expect(asked.searchParams.get('audience')).toBe('api.atlassian.com')
    expect(await consent.complete(request, callback)).toMatchObject({
      tokens: { scopes: ['read:me', 'offline_access'] },
    })
  })
})
