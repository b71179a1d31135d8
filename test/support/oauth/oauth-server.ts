import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { type Client, Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import { keepConnections } from '../server/keep-connections.ts'
import { serveInteraction } from './interactions.ts'
import { createMemory } from './memory-adapter.ts'
import { type Visitor, visitPages } from './visit.ts'

export interface OAuthServerOptions {
  /** Clients besides the usual ones: `assent` (secret `assent-secret`, basic) and `public` (no secret). Metadata as in RFC 7591. */
  clients?: readonly Record<string, unknown>[]
  /** Scopes besides openid, offline_access, profile, email, groups, notes.read and notes.write. */
  scopes?: readonly string[]
  /** Seconds. Default: 3600. */
  accessTokenTtl?: number
  /** When a refresh token is given. Default: `always`. */
  refreshTokens?: 'always' | 'offline_access' | 'never'
  /** Whether each refresh gives a new refresh token and ends the old one. Default: true. */
  rotate?: boolean
  /** The groups of each account. Default: none. */
  groups?: Readonly<Record<string, readonly string[]>>
  /** What `/notes` gives to each account. Default: one note that names it. */
  notes?: Readonly<Record<string, readonly string[]>>
  /** Where clients may send people back to. Default: every address on loopback. */
  redirectUris?: readonly string[]
  /** Whether clients may register by themselves (RFC 7591). Default: false. */
  registration?: boolean
  /** How it reads client documents (OAuth Client ID Metadata Document). Default: it reads none. */
  clientDocuments?: (url: string) => Promise<Response>
  /** Whether it stops when the test is over. Default: true. In `beforeAll` say false, and call `stop` yourself. */
  stopsWithTest?: boolean
}

/** One request that came in. */
export interface ServedRequest {
  readonly method: string
  /** Without the query: `/auth`, `/token`, `/token/revocation`, `/token/introspection`, `/me`, `/jwks`, `/notes`, … */
  readonly path: string
  /** At `/token`: `authorization_code`, `refresh_token`, …; known when it was answered. */
  grantType?: string
  /** Absent while it is not answered. */
  status?: number
}

/** A real OAuth and OpenID server on loopback. */
export interface OAuthServer {
  readonly issuer: string
  /** Where its parts are, for those who do not discover them. */
  readonly endpoints: Readonly<Record<'authorization' | 'token' | 'revocation' | 'userinfo' | 'jwks' | 'notes', string>>
  /** Every request, in the order in which they came. */
  readonly requests: readonly ServedRequest[]
  /** How many requests came to this path, if given of this grant type (`count('/token', 'refresh_token')`). */
  count(path: string, grantType?: string): number
  /** Does what a person does in a browser: signs in, allows or denies. Gives the address they are sent back to. */
  visit(url: string, visitor: Visitor): Promise<URL>
  /**
   * An access token without any page. With an `audience` it is a JWT for it (as a login's tokens are, with `groups`),
   * without one it is opaque, and good at `/notes`.
   */
  tokenFor(account: string, options?: TokenOptions): Promise<string>
  /** The account takes back every consent: its tokens stop working, and refreshing is refused. */
  revokeAll(account: string): void
  /** Forgets every client that registered by itself. */
  forgetClients(): void
  /** Answers every request to this path with this status from now on, until `recover`. */
  fail(path: string, status: number, body?: string): void
  /** Keeps every request to this path waiting until the returned function is called. */
  hold(path: string): () => void
  recover(): void
  stop(): Promise<void>
}

export interface TokenOptions {
  /** Default: `assent`. */
  clientId?: string
  audience?: string
  /** Default: notes.read. */
  scopes?: readonly string[]
  /** Default: those of the account. */
  groups?: readonly string[]
}

/** The client that the server knows from the start. */
export const oauthClient = { clientId: 'assent', clientSecret: 'assent-secret' } as const

const usualScopes = ['openid', 'offline_access', 'profile', 'email', 'groups', 'notes.read', 'notes.write']

/**
 * Starts a real oidc-provider on 127.0.0.1. Login page: a field "Account" and a button "Sign in"; any name will do, and
 * it is the subject. Consent page: a ticked box for each scope, buttons "Allow" and "Deny". Id tokens have
 * preferred_username, name and groups with the scope profile, email with email, groups with groups. A `resource`
 * (RFC 8707) makes the access token a JWT for it. `/notes` wants the scope notes.read.
 */
export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { rotate = true, refreshTokens = 'always', accessTokenTtl = 3_600 } = options
  const memory = createMemory()
  const requests: ServedRequest[] = []
  const failures = new Map<string, { status: number; body: string }>()
  const held = new Map<string, Promise<void>>()
  const scopes = [...new Set([...usualScopes, ...(options.scopes ?? [])])]
  const groupsOf = (account: string) => options.groups?.[account] ?? []
  const givenGroups = new WeakMap<object, readonly string[]>()

  const server = createServer(keepConnections, (request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const resourceServer = (resource: string) => ({
    scope: scopes.join(' '),
    audience: resource,
    accessTokenTTL: accessTokenTtl,
    // Our own API looks tokens up, so that it sees at once when one is revoked.
    ...(resource === `${issuer}/notes`
      ? { accessTokenFormat: 'opaque' }
      : { accessTokenFormat: 'jwt', jwt: { sign: { alg: 'ES256' } } }),
  })

  const provider = quietly(
    () =>
      new Provider(issuer, {
        adapter: memory.adapter,
        jwks: { keys: [jwk] },
        cookies: { keys: ['of the test server'] },
        clients: [...usualClients, ...(options.clients ?? [])],
        clientDefaults: { id_token_signed_response_alg: 'ES256' },
        enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
        scopes,
        claims: { profile: ['preferred_username', 'name', 'groups'], email: ['email'], groups: ['groups'] },
        // Claims come with the id token, as most providers do it.
        conformIdTokenClaims: false,
        findAccount: (_context: unknown, account: string) => ({
          accountId: account,
          claims: () => ({
            sub: account,
            preferred_username: account,
            name: `${account} of the tests`,
            email: `${account}@example.test`,
            groups: groupsOf(account),
          }),
        }),
        extraTokenClaims: (_context: unknown, token: { accountId?: string }) => ({
          groups: givenGroups.get(token) ?? groupsOf(token.accountId ?? ''),
        }),
        features: {
          devInteractions: { enabled: false },
          introspection: { enabled: true, allowedPolicy: () => true },
          revocation: { enabled: true, allowedPolicy: () => true },
          registration: { enabled: options.registration ?? false },
          clientIdMetadataDocument: {
            enabled: options.clientDocuments !== undefined,
            ack: 'draft-02',
          },
          resourceIndicators: {
            enabled: true,
            defaultResource: () => undefined,
            useGrantedResource: () => true,
            getResourceServerInfo: (_context: unknown, resource: string) => resourceServer(resource),
          },
        },
        ...(options.clientDocuments && { fetch: (url: string | URL) => options.clientDocuments?.(String(url)) }),
        interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        issueRefreshToken: (_context: unknown, client: Client, code: { scopes: Set<string> }) =>
          client.grantTypeAllowed('refresh_token') &&
          (refreshTokens === 'always' || (refreshTokens === 'offline_access' && code.scopes.has('offline_access'))),
        rotateRefreshToken: rotate,
        pkce: { required: () => true },
        ttl: {
          AccessToken: accessTokenTtl,
          AuthorizationCode: 60,
          Grant: 86_400,
          IdToken: 3_600,
          Interaction: 600,
          RefreshToken: 86_400,
          Session: 86_400,
        },
      }),
  )
  provider.Client.prototype.redirectUriAllowed = (uri) =>
    options.redirectUris?.includes(uri) ?? /^https?:\/\/(127\.0\.0\.1|localhost)[:/]/.test(uri)
  const known = new WeakMap<object, ServedRequest>()
  provider.use(async (context, next) => {
    await next()
    const grantType = context.oidc?.params?.grant_type
    const entry = known.get((context as unknown as { req: object }).req)
    if (entry && grantType !== undefined) entry.grantType = grantType
  })
  const callback = provider.callback()

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', issuer)
    const entry: ServedRequest = { method: request.method ?? '', path: pathname }
    requests.push(entry)
    known.set(request, entry)
    response.on('finish', () => {
      entry.status = response.statusCode
    })

    await held.get(pathname)
    const failure = failures.get(pathname)
    if (failure) response.writeHead(failure.status, { 'Content-Type': 'application/json' }).end(failure.body)
    else if (pathname === '/notes') await serveNotes(request, response)
    else if (pathname.startsWith('/interaction/')) await serveInteraction(provider, request, response)
    else await callback(request, response)
  }

  async function serveNotes(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    const token = bearer === undefined ? undefined : await provider.AccessToken.find(bearer)
    if (!token?.isValid || (await provider.Grant.find(token.grantId)) === undefined) {
      response.writeHead(401, { 'WWW-Authenticate': 'Bearer error="invalid_token"' }).end()
    } else if (!token.scopes.has('notes.read')) {
      const challenge = 'Bearer error="insufficient_scope", scope="notes.read"'
      response.writeHead(403, { 'WWW-Authenticate': challenge }).end()
    } else {
      const notes = options.notes?.[token.accountId] ?? [`A note of ${token.accountId}`]
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.end(JSON.stringify({ account: token.accountId, notes }))
    }
  }

  async function stop(): Promise<void> {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  if (options.stopsWithTest ?? true) onTestFinished(stop)

  return {
    issuer,
    endpoints: {
      authorization: `${issuer}/auth`,
      token: `${issuer}/token`,
      revocation: `${issuer}/token/revocation`,
      userinfo: `${issuer}/me`,
      jwks: `${issuer}/jwks`,
      notes: `${issuer}/notes`,
    },
    requests,
    count: (path, grantType) =>
      requests.filter((one) => one.path === path && (grantType === undefined || one.grantType === grantType)).length,
    visit: visitPages,
    async tokenFor(account, { clientId = 'assent', audience, scopes = ['notes.read'], groups } = {}) {
      const client = await provider.Client.find(clientId)
      if (client === undefined) throw new Error(`No client ${clientId}`)
      const grant = new provider.Grant({ accountId: account, clientId })
      grant.addOIDCScope(scopes.join(' '))
      const token = new provider.AccessToken({
        accountId: account,
        client,
        grantId: await grant.save(),
        scope: scopes.join(' '),
        gty: 'authorization_code',
        ...(audience !== undefined && {
          resourceServer: new provider.ResourceServer(audience, resourceServer(audience)),
        }),
      })
      if (groups !== undefined) givenGroups.set(token, groups)
      return token.save()
    },
    revokeAll: memory.forget,
    forgetClients: () => memory.forgetModel('Client'),
    fail(path, status, body = '{}') {
      failures.set(path, { status, body })
    },
    hold(path) {
      let release = () => {}
      const holding = new Promise<void>((resolve) => {
        release = resolve
      })
      held.set(path, holding)
      return () => {
        held.delete(path)
        release()
      }
    },
    recover: () => failures.clear(),
    stop,
  }
}

const client = {
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

const usualClients = [
  {
    ...client,
    client_id: oauthClient.clientId,
    client_secret: oauthClient.clientSecret,
    token_endpoint_auth_method: 'client_secret_basic',
  },
  { ...client, client_id: 'public', token_endpoint_auth_method: 'none', application_type: 'native' },
]

/** oidc-provider warns about runtimes and settings that do not matter to tests. */
function quietly<T>(make: () => T): T {
  const { warn, info } = console
  console.warn = console.info = () => {}
  try {
    return make()
  } finally {
    Object.assign(console, { warn, info })
  }
}
