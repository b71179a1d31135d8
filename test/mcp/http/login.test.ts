import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { BadArgument } from '../../../src/base/errors.ts'
import { callerOf, requesterOf } from '../../../src/mcp/caller.ts'
import { requireScopes } from '../../../src/mcp/http/guard/require-scopes.ts'
import { type HttpOptions, serveHttp } from '../../../src/mcp/http/serve.ts'
import { loginByTokens } from '../../../src/oauth/login/verify-token.ts'
import { startIssuer } from '../../support/oauth/issuer.ts'
import {
  callOf,
  echoServer,
  endpoint,
  initialize,
  modernCall,
  openSession,
  say,
  send,
} from '../../support/server/endpoint.ts'
import { clients } from './clients.ts'

/** A server that says who it thinks is calling, and what of the request a tool can see. */
const tellingServer = () =>
  echoServer((server) => {
    server.registerTool('whoami', {}, async (ctx: ServerContext) => {
      const { requester, groups } = callerOf(server.server, ctx, [])
      const { participant, client } = requester
      return say(JSON.stringify({ participant, client, groups }))
    })
    server.registerTool('dump', {}, async (ctx: ServerContext) =>
      say(JSON.stringify({ auth: ctx.http?.authInfo, headers: [...(ctx.http?.req?.headers ?? [])] })),
    )
    server.registerTool('delete', { scopeChallenge: requireScopes('files:write', 'files:delete') }, async () =>
      say('deleted'),
    )
  })

async function guarded(options: Partial<HttpOptions> = {}) {
  const issuer = await startIssuer()
  const { url, serving } = await endpoint(tellingServer, (audience) => ({
    login: loginByTokens({ issuer: issuer.issuer, audience }),
    ...options,
  }))
  const mint = (claims: Record<string, unknown> = {}) => issuer.mint({ aud: url.href, ...claims })
  const bearer = async (claims: Record<string, unknown> = {}) => ({ Authorization: `Bearer ${await mint(claims)}` })
  return { url, serving, issuer, mint, bearer }
}

describe('a token', () => {
  test.each([
    { what: 'initialize', request: { body: initialize } },
    { what: 'a 2026 call', request: modernCall('echo', { text: 'hi' }) },
    { what: 'a stream', request: { method: 'GET' } },
    { what: 'an end', request: { method: 'DELETE' } },
  ])('is needed for $what; the challenge says where to get one (O-03, O-05)', async ({ request }) => {
    const { url } = await guarded()
    const response = await send(url, request)
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp"`,
    )
  })

  test('that is wrong, late or garbage gets 401 invalid_token (O-01)', async () => {
    const { url, bearer } = await guarded()
    const bad = [
      await bearer({ aud: 'https://other.test/mcp' }),
      await bearer({ exp: 1 }),
      await bearer({ iss: 'https://evil.test' }),
      { Authorization: 'Bearer garbage' },
    ]
    for (const headers of bad) {
      const response = await send(url, { body: initialize, headers })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
  })

  test.each(['Basic YTpi', 'Bearer', 'Bearer a b', 'Token x'])(
    'is not read from "%s" (O-01)',
    async (authorization) => {
      const { url } = await guarded()
      expect((await send(url, { body: initialize, headers: { Authorization: authorization } })).status).toBe(401)
    },
  )

  test('in the query does not count (O-05)', async () => {
    const { url, mint } = await guarded()
    const inQuery = new URL(`?access_token=${await mint()}`, url)
    expect((await send(inQuery, { body: initialize })).status).toBe(401)
  })

  test('that cannot be checked right now is not called bad: 503', async () => {
    const { url, issuer, bearer } = await guarded()
    issuer.fail(500)
    const response = await send(url, { body: initialize, headers: await bearer() })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
  })

  test.each(clients)('says who calls, on $name', async ({ connect }) => {
    const { url, mint, issuer } = await guarded()
    const client = await connect(url, await mint({ groups: ['staff'] }))
    expect(JSON.parse(await client.call('whoami'))).toEqual({
      participant: `ada@${issuer.issuer}`,
      client: 'editor',
      groups: ['staff'],
    })
  })

  test.each(clients)('never reaches a handler, on $name (O-02)', async ({ connect }) => {
    const { url, mint } = await guarded()
    const token = await mint()
    const client = await connect(url, token)
    const seen = await client.call('dump')
    expect(seen).toContain('user-agent')
    expect(seen.toLowerCase()).not.toContain('authorization')
    expect(seen).not.toContain(token)
  })
})

test('the web face hides the token as well, also from the factory (O-02)', async () => {
  const { issuer, mint } = await startIssuer()
  const audience = 'https://assent.test/mcp'
  const shown: string[] = []
  const serving = serveHttp(
    ({ requestInfo, authInfo }) => {
      shown.push(JSON.stringify([authInfo, ...(requestInfo?.headers ?? [])]))
      return tellingServer()
    },
    { login: loginByTokens({ issuer, audience }) },
  )
  const { body, headers } = modernCall('dump')
  const token = await mint()
  const request = new Request(audience, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
  })
  const response = await serving.fetch(request)
  shown.push(await response.text())

  expect(response.status).toBe(200)
  expect(shown).toHaveLength(2)
  for (const text of shown) {
    expect(text).toContain('mcp-method')
    expect(text).not.toContain(token)
  }
})

describe('who calls, without a login', () => {
  test('is the local person by a client that is what it calls itself, on both eras; session ids stay secret (S-08)', async () => {
    const { url } = await endpoint(tellingServer)
    const said = []
    for (const { connect } of clients) {
      const client = await connect(url)
      const { participant, client: calledBy } = JSON.parse(await client.call('whoami', { participant: 'eve' }))
      expect(participant).toBe('local')
      expect(calledBy).not.toBe(client.sessionId())
      said.push(calledBy)
    }
    expect(said).toEqual(['tester', 'tester', 'tester', 'tester'])
  })

  test('is not taken from somebody else’s auth info', () => {
    const authInfo = { token: '', clientId: 'x', scopes: [] }
    expect(() => requesterOf({ http: { authInfo } })).toThrow(BadArgument)
  })
})

describe('a session belongs to who opened it (S-08)', () => {
  test('attack: a stolen session id with another person’s or another client’s token finds nothing', async () => {
    const { url, bearer, serving } = await guarded()
    const owner = await openSession(url, await bearer())

    for (const claims of [{ sub: 'eve' }, { client_id: 'other' }, { client_id: undefined }]) {
      const headers = { ...owner, ...(await bearer(claims)) }
      expect((await send(url, { body: callOf('echo', { text: 'hi' }), headers })).status).toBe(404)
      expect((await send(url, { method: 'GET', headers })).status).toBe(404)
      expect((await send(url, { method: 'DELETE', headers })).status).toBe(404)
    }
    expect(serving.sessions).toBe(1)
    const renewed = { ...owner, ...(await bearer({ jti: 'a new token of the same client' })) }
    expect((await send(url, { body: callOf('echo', { text: 'hi' }), headers: renewed })).status).toBe(200)
  })

  test('attack: a session id alone opens nothing', async () => {
    const { url, bearer } = await guarded()
    const { Authorization: _, ...headers } = await openSession(url, await bearer())
    expect((await send(url, { body: callOf('echo', { text: 'hi' }), headers })).status).toBe(401)
  })
})

describe('scopes', () => {
  test('that the server needs are all named, in 401 and in 403 (O-04)', async () => {
    const { url, bearer } = await guarded({ requiredScopes: ['mcp', 'files:read'] })
    const missing = await send(url, { body: initialize })
    expect(missing.headers.get('www-authenticate')).toContain('scope="mcp files:read"')

    const lacking = await send(url, { body: initialize, headers: await bearer({ scope: 'mcp' }) })
    expect(lacking.status).toBe(403)
    const challenge = lacking.headers.get('www-authenticate')
    expect(challenge).toContain('error="insufficient_scope"')
    expect(challenge).toContain('scope="mcp files:read"')
    expect(challenge).toContain(`resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp"`)
    expect((await send(url, { body: initialize, headers: await bearer({ scope: 'files:read mcp x' }) })).status).toBe(
      200,
    )
  })

  test('that a tool needs are all named, with the server’s own, on both revisions (O-04)', async () => {
    const { url, bearer } = await guarded({ requiredScopes: ['mcp'] })
    const headers = await bearer({ scope: 'mcp files:write' })
    const session = await openSession(url, headers)
    const modern = modernCall('delete')

    for (const response of [
      await send(url, { body: callOf('delete'), headers: session }),
      await send(url, { body: modern.body, headers: { ...headers, ...modern.headers } }),
    ]) {
      expect(response.status).toBe(403)
      const challenge = response.headers.get('www-authenticate')
      expect(challenge).toContain('error="insufficient_scope"')
      expect(challenge).toContain('scope="files:write files:delete mcp"')
      expect(challenge).toContain('resource_metadata=')
    }
    const enough = await bearer({ scope: 'mcp files:write files:delete' })
    const done = await send(url, { body: modern.body, headers: { ...enough, ...modern.headers } })
    expect(await done.text()).toContain('deleted')
  })

  test('are not asked of the local person, who has no token', async () => {
    const { url } = await endpoint(tellingServer)
    for (const { connect } of clients) expect(await (await connect(url)).call('delete')).toBe('deleted')
  })
})

describe('protected resource metadata (O-03)', () => {
  test('is at both places, needs no token, and names the issuer', async () => {
    const { url, issuer } = await guarded({ requiredScopes: ['mcp'] })
    for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
      const response = await fetch(new URL(path, url))
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        resource: url.href,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['mcp'],
      })
    }
    expect((await fetch(new URL('/.well-known/oauth-protected-resource', url), { method: 'POST' })).status).toBe(405)
  })

  test('an audience that is no address needs a url beside it', () => {
    const login = loginByTokens({ issuer: 'https://login.example.com', audience: 'assent' })
    expect(() => serveHttp(tellingServer, { login })).toThrow(BadArgument)
    expect(() => serveHttp(tellingServer, { login, requiredScopes: ['two words'] })).toThrow(BadArgument)
    serveHttp(tellingServer, { login, url: 'https://assent.example.com/mcp' })
  })

  test('with a login the server’s public name is a good Host', async () => {
    const login = loginByTokens({ issuer: 'https://login.example.com', audience: 'https://assent.example.com/mcp' })
    const serving = serveHttp(tellingServer, { login, allowedHosts: ['alias.example.com'] })
    const asked = async (host: string) =>
      (await serving.fetch(new Request('http://x/mcp', { method: 'POST', headers: { Host: host } }))).status
    expect(await asked('assent.example.com')).toBe(401)
    expect(await asked('alias.example.com:443')).toBe(401)
    expect(await asked('evil.example.com')).toBe(403)
  })
})
