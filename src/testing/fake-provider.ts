import type { Clock } from '../base/clock.ts'
import type { Credential } from '../connection/credential/credential.ts'
import type { Consent, Consented, ConsentRequest, Provider, Refreshed } from '../connection/provider.ts'

type Begins = Awaited<ReturnType<Consent['begin']>>
type TokenCredential = Extract<Credential, { kind: 'tokens' }>
type Step<Result, Given extends unknown[]> =
  | Result
  | 'as-usual'
  | ((...given: Given) => Result | 'as-usual' | Promise<Result | 'as-usual'>)

/** What the provider does, one step for each call. The last step is repeated. */
export interface ProviderScript {
  readonly begin?: readonly Step<Begins, [ConsentRequest]>[]
  readonly complete?: readonly Step<Consented, [ConsentRequest, URL]>[]
  readonly refresh?: readonly Step<Refreshed, [string, readonly string[]]>[]
  readonly revoke?: readonly Step<boolean, [TokenCredential]>[]
}

/** One call of the provider. */
export type ProviderCall =
  | { readonly kind: 'begin'; readonly request: ConsentRequest }
  | { readonly kind: 'complete'; readonly request: ConsentRequest; readonly callback: URL }
  | { readonly kind: 'refresh'; readonly refreshToken: string; readonly scopes: readonly string[] }
  | { readonly kind: 'revoke'; readonly credential: TokenCredential }

export interface FakeProviderOptions extends Partial<Omit<Provider, 'by'>> {
  /** Tells when tokens end. */
  readonly clock: Pick<Clock, 'now'>
  /** How long an access token is valid; unlimited by default. */
  readonly lifetimeMs?: number
  /** The name of the person's account. */
  readonly account?: string
  /** What the provider answers to each request. Default: it agrees to everything. */
  readonly script?: ProviderScript
}

/** An OAuth provider without a network, which records its calls. */
export interface FakeProvider {
  readonly provider: Provider
  readonly calls: readonly ProviderCall[]
  /** The calls of one kind. */
  all<Kind extends ProviderCall['kind']>(kind: Kind): Extract<ProviderCall, { kind: Kind }>[]
  /**
   * The person agrees. Returns the address to which the provider sends them back. By default all scopes are granted.
   */
  agree(url: string, scopes?: readonly string[]): URL
  /** The person refuses. Returns the address to which the provider sends them back. */
  deny(url: string): URL
}

/**
 * A provider that accepts each code once, for the request that it was issued for, and each refresh token once, unless the
 * script says otherwise. Its tokens are its name with `-access-1`, `-refresh-1` and so on.
 */
export function fakeProvider(options: FakeProviderOptions): FakeProvider {
  const { clock, lifetimeMs, account, script = {}, name = 'notes' } = options
  const calls: ProviderCall[] = []
  const asked = { begin: 0, complete: 0, refresh: 0, revoke: 0 }
  const codes = new Map<string, { readonly request: ConsentRequest; readonly scopes: readonly string[] }>()
  const begun = new Map<string, ConsentRequest>()
  let refreshToken: string | undefined
  let issued = 0

  async function runStep<Result, Given extends unknown[]>(
    kind: keyof typeof asked,
    steps: readonly Step<Result, Given>[] | undefined,
    given: Given,
    usual: () => Result,
  ): Promise<Result> {
    const step = steps?.[Math.min(asked[kind]++, steps.length - 1)] ?? 'as-usual'
    const result =
      typeof step === 'function' ? await (step as (...given: Given) => Result | 'as-usual')(...given) : step
    return result === 'as-usual' ? usual() : result
  }

  function grant(scopes: readonly string[]): Extract<Refreshed, { kind: 'granted' }> {
    issued += 1
    refreshToken = `${name}-refresh-${issued}`
    const expiresAt = lifetimeMs === undefined ? {} : { expiresAt: new Date(clock.now().getTime() + lifetimeMs) }
    const credential = { kind: 'tokens', accessToken: `${name}-access-${issued}`, refreshToken } as const
    return { kind: 'granted', tokens: { credential, scopes, ...expiresAt, ...(account !== undefined && { account }) } }
  }

  function exchange(request: ConsentRequest, { searchParams }: URL): Consented {
    if (searchParams.get('error') === 'access_denied') return { kind: 'denied' }
    const code = searchParams.get('code') ?? ''
    const kept = codes.get(code)
    codes.delete(code)
    if (kept !== undefined && isSame(kept.request, request)) return grant(kept.scopes)
    return { kind: 'failed', reason: 'invalid_grant', message: 'The provider rejected the code.' }
  }

  const consent: Consent = {
    async begin(request) {
      calls.push({ kind: 'begin', request })
      return runStep('begin', script.begin, [request], () => {
        begun.set(request.state, request)
        const query = new URLSearchParams({ state: request.state, scope: request.scopes.join(' ') })
        return { kind: 'begun', url: `https://${name}.example.com/authorize?${query}` }
      })
    },
    async complete(request, callback) {
      calls.push({ kind: 'complete', request, callback })
      return runStep('complete', script.complete, [request, callback], () => exchange(request, callback))
    },
    async refresh(given, scopes) {
      calls.push({ kind: 'refresh', refreshToken: given, scopes })
      return runStep('refresh', script.refresh, [given, scopes], () =>
        given === refreshToken ? grant(scopes) : { kind: 'refused', reason: 'invalid_grant' },
      )
    },
    async revoke(credential) {
      calls.push({ kind: 'revoke', credential })
      return runStep('revoke', script.revoke, [credential], () => {
        refreshToken = undefined
        return true
      })
    },
  }

  function callbackUrl(url: string, more: Record<string, string>): URL {
    const request = requestOf(url)
    const callback = new URL(request.redirectUri)
    callback.search = new URLSearchParams({ ...more, state: request.state }).toString()
    return callback
  }

  function requestOf(url: string): ConsentRequest {
    const request = begun.get(new URL(url).searchParams.get('state') ?? '')
    if (request === undefined) throw new Error(`No flow began with the address ${url}.`)
    return request
  }

  return {
    provider: {
      name,
      title: options.title ?? 'Notes',
      host: options.host ?? `${name}.example.com`,
      scopes: options.scopes ?? ['notes.read'],
      sending: options.sending ?? { header: 'Authorization' },
      by: { kind: 'consent', consent },
    },
    calls,
    all: (kind) => calls.filter((call) => call.kind === kind) as never,
    agree(url, scopes) {
      const request = requestOf(url)
      const code = `${name}-code-${codes.size + 1}-${request.state}`
      codes.set(code, { request, scopes: scopes ?? request.scopes })
      return callbackUrl(url, { code })
    },
    deny: (url) => callbackUrl(url, { error: 'access_denied' }),
  }
}

/** A provider that takes a key. */
export function fakeKeyProvider(over: Partial<Omit<Provider, 'by'>> = {}): Provider {
  return {
    name: 'stripe',
    title: 'Stripe',
    scopes: [],
    sending: { header: 'Authorization' },
    by: { kind: 'key', fieldLabel: 'Stripe API key' },
    ...over,
  }
}

function isSame(one: ConsentRequest, other: ConsentRequest): boolean {
  return (['state', 'verifier', 'nonce', 'redirectUri'] as const).every((field) => one[field] === other[field])
}
