import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'

/** The only client of the demo login. It has no secret; PKCE proves that it began the flow. */
export interface DemoClient {
  readonly id: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
}

/** The result of an authorization request. */
export type Begun =
  | { readonly kind: 'asked'; readonly id: string; readonly scopes: readonly string[] }
  /** An error that is sent back to the client. */
  | { readonly kind: 'returned'; readonly to: URL }
  /** The client is unknown, so the person is not redirected. */
  | { readonly kind: 'refused'; readonly message: string }

/** An answer of the token endpoint. */
export interface TokenReply {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** The authorization code flow with PKCE, in memory. */
export interface LoginDesk {
  begin(asked: URLSearchParams): Begun
  /** Where the person goes next. Without a name they declined. Undefined when there is no such request, or it has expired. */
  settle(id: string, name: string | undefined): URL | undefined
  token(form: URLSearchParams): TokenReply
  revoke(token: string): void
  accountOf(accessToken: string): { readonly name: string; readonly expiresAt: Date } | undefined
}

interface Asked {
  readonly state: string | null
  readonly challenge: string
  readonly scopes: readonly string[]
  readonly until: number
}

interface Granted {
  readonly name: string
  readonly scopes: readonly string[]
}

interface Code extends Granted {
  readonly challenge: string
  readonly until: number
}

interface Access extends Granted {
  readonly until: number
  /** Revoking this token ends the access token too. */
  readonly refreshToken: string
}

const askedMs = 600_000
const codeMs = 60_000
const accessMs = 3_600_000
const most = 1_000

export function createLoginDesk(clock: Clock, issuer: string, client: DemoClient): LoginDesk {
  const asked = new Map<string, Asked>()
  const codes = new Map<string, Code>()
  const accesses = new Map<string, Access>()
  const refreshes = new Map<string, Granted>()
  const now = () => clock.now().getTime()

  function back(state: string | null, answer: Record<string, string>): URL {
    const to = new URL(client.redirectUri)
    for (const [name, value] of Object.entries({ ...answer, iss: issuer })) to.searchParams.set(name, value)
    if (state !== null) to.searchParams.set('state', state)
    return to
  }

  function tokensFor({ name, scopes }: Granted): TokenReply {
    const [access, refresh] = [secret(), secret()]
    keep(accesses, access, { name, scopes, until: now() + accessMs, refreshToken: refresh })
    keep(refreshes, refresh, { name, scopes })
    return {
      status: 200,
      body: {
        access_token: access,
        token_type: 'Bearer',
        expires_in: accessMs / 1_000,
        refresh_token: refresh,
        scope: scopes.join(' '),
      },
    }
  }

  function byCode(form: URLSearchParams): TokenReply {
    const code = taken(codes, form.get('code'))
    const isTheirs = form.get('redirect_uri') === client.redirectUri
    if (code === undefined || !isTheirs || now() >= code.until) return wrong('invalid_grant')
    return isProof(form.get('code_verifier'), code.challenge) ? tokensFor(code) : wrong('invalid_grant')
  }

  function byRefresh(form: URLSearchParams): TokenReply {
    const granted = taken(refreshes, form.get('refresh_token'))
    return granted === undefined ? wrong('invalid_grant') : tokensFor(granted)
  }

  return {
    begin(params) {
      if (params.get('client_id') !== client.id) return { kind: 'refused', message: 'This client is not known here.' }
      if (params.get('redirect_uri') !== client.redirectUri) {
        return { kind: 'refused', message: 'This client may not send people to that address.' }
      }
      const state = params.get('state')
      const returned = (error: string): Begun => ({ kind: 'returned', to: back(state, { error }) })
      if (params.get('response_type') !== 'code') return returned('unsupported_response_type')
      const challenge = params.get('code_challenge')
      if (challenge === null || params.get('code_challenge_method') !== 'S256') return returned('invalid_request')
      const scopes = (params.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
      if (!scopes.every((scope) => client.scopes.includes(scope))) return returned('invalid_scope')
      const id = secret()
      keep(asked, id, { state, challenge, scopes, until: now() + askedMs })
      return { kind: 'asked', id, scopes }
    },
    settle(id, name) {
      const one = taken(asked, id)
      if (one === undefined || now() >= one.until) return undefined
      if (name === undefined) return back(one.state, { error: 'access_denied' })
      const code = secret()
      keep(codes, code, { name, scopes: one.scopes, challenge: one.challenge, until: now() + codeMs })
      return back(one.state, { code })
    },
    token(form) {
      if (form.get('client_id') !== client.id) return { status: 401, body: { error: 'invalid_client' } }
      switch (form.get('grant_type')) {
        case 'authorization_code':
          return byCode(form)
        case 'refresh_token':
          return byRefresh(form)
        default:
          return wrong('unsupported_grant_type')
      }
    },
    revoke(token) {
      refreshes.delete(token)
      for (const [access, { refreshToken }] of accesses) {
        if (access === token || refreshToken === token) accesses.delete(access)
      }
    },
    accountOf(accessToken) {
      const access = accesses.get(accessToken)
      if (access === undefined || now() >= access.until) return undefined
      return { name: access.name, expiresAt: new Date(access.until) }
    },
  }
}

const secret = () => randomBytes(32).toString('base64url')
const wrong = (error: string): TokenReply => ({ status: 400, body: { error } })

/** Keeps at most a fixed number: a flood of requests drops older ones instead of filling the memory. */
function keep<T>(all: Map<string, T>, key: string, value: T): void {
  if (all.size >= most) all.delete(all.keys().next().value as string)
  all.set(key, value)
}

/** Takes a value out, since each works once. */
function taken<T>(all: Map<string, T>, key: string | null): T | undefined {
  if (key === null) return undefined
  const value = all.get(key)
  all.delete(key)
  return value
}

function isProof(verifier: string | null, challenge: string): boolean {
  if (verifier === null) return false
  const proven = createHash('sha256').update(verifier).digest()
  const wanted = Buffer.from(challenge, 'base64url')
  return proven.length === wanted.length && timingSafeEqual(proven, wanted)
}
