import type { Consent, Consented, Provider, Refreshed, Tokens } from 'assent'

/** What the service needs to know about your app. */
export interface PadApp {
  readonly url: URL
  readonly appId: string
  readonly appSecret: string
}

/** What the service answers when it gives tokens. */
interface PadTokens {
  readonly token: string
  readonly renewal: string
  readonly seconds: number
  readonly user: string
}

/** Accounts at Pad, a service that connects apps in a way of its own: by tickets, not by OAuth. */
export function padProvider(app: PadApp): Provider {
  return {
    name: 'pad',
    title: 'Pad',
    host: app.url.host,
    scopes: ['read'],
    sending: { header: 'X-Pad-Token' },
    by: { kind: 'consent', consent: padConsent(app) },
  }
}

function padConsent(app: PadApp): Consent {
  return {
    async begin({ state, redirectUri, scopes }) {
      const url = new URL('/connect', app.url)
      url.search = new URLSearchParams({ app: app.appId, state, back: redirectUri, for: scopes.join(',') }).toString()
      return { kind: 'begun', url: url.href }
    },
    // Assent has checked by now that `state` came back to the person and the browser that began.
    async complete({ scopes }, callback): Promise<Consented> {
      const ticket = callback.searchParams.get('ticket')
      if (ticket === null) return { kind: 'denied' }
      const given = await post(app, '/tickets', { ticket })
      if (given === 'refused') return failed('ticket-refused', 'Pad does not know this request any more. Try again.')
      if (given === 'down') return failed('unavailable', 'Pad cannot be reached now. Try again later.')
      return { kind: 'granted', tokens: tokensIn(given, scopes) }
    },
    async refresh(refreshToken, scopes): Promise<Refreshed> {
      const given = await post(app, '/renewals', { renewal: refreshToken })
      if (given === 'refused') return { kind: 'refused', reason: 'renewal-refused' }
      if (given === 'down') return { kind: 'unavailable', reason: 'unavailable' }
      return { kind: 'granted', tokens: tokensIn(given, scopes) }
    },
    async revoke({ accessToken }) {
      const headers = { 'X-Pad-Token': accessToken }
      const reply = await fetch(new URL('/tokens/mine', app.url), { method: 'DELETE', headers }).catch(() => undefined)
      return reply?.ok === true
    },
  }
}

function tokensIn({ token, renewal, seconds, user }: PadTokens, scopes: readonly string[]): Tokens {
  return {
    credential: { kind: 'tokens', accessToken: token, refreshToken: renewal },
    scopes,
    expiresAt: new Date(Date.now() + seconds * 1_000),
    account: user,
  }
}

const failed = (reason: string, message: string): Consented => ({ kind: 'failed', reason, message })

/** What a service may well do is a value. Nothing is thrown, so that no error message can hold a secret. */
async function post(
  { url, appId, appSecret }: PadApp,
  path: string,
  body: object,
): Promise<PadTokens | 'refused' | 'down'> {
  const reply = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ app: appId, secret: appSecret, ...body }),
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  if (reply === undefined || reply.status >= 500) return 'down'
  return reply.ok ? ((await reply.json()) as PadTokens) : 'refused'
}
