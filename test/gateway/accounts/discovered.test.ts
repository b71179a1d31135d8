import { describe, expect, test } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { connect11, connect26 } from '../../support/asking/asking-clients.ts'
import { gated } from '../../support/gateway/gateways.ts'
import { type OAuthServer, startOAuthServer } from '../../support/oauth/oauth-server.ts'
import { type ProtectedServer, startProtectedServer } from '../../support/oauth/protected-server.ts'
import { local } from '../../support/server/servers.ts'

/** A gateway that was told nothing of accounts, before a server that wants one; somebody connects whenever they are asked. */
async function meet(server: ProtectedServer, oauths: readonly OAuthServer[], how = connect26) {
  let moved = 0
  const clock = { ...systemClock, now: () => new Date(Date.now() + moved) }
  const told: string[] = []
  const { assent, connect } = await gated(
    { notes: { url: server.url, provider: 'notes', account: 'when-asked' } as never },
    {
      assentOptions: { clock, providers: { notes: { discover: server.url.href } } } as never,
    },
  )
  const person = { participant: local, groups: [] }
  const begin = async (elicitation?: never) =>
    assent.connections.begin({
      provider: 'notes',
      person,
      browser: 'b',
      ...(elicitation !== undefined && { elicitation }),
    })
  assent.events.listen(async ({ kind, ...news }) => {
    if (kind !== 'asked' || !('elicitation' in news)) return
    const begun = await begin(news.elicitation.id as never)
    told.push(begun.kind === 'failed' ? begun.message : begun.kind)
    if (begun.kind !== 'begun') return
    const oauth = oauths.find(({ issuer }) => begun.url.startsWith(issuer)) as OAuthServer
    const callback = await oauth.visit(begun.url, { account: 'ada' })
    const end = await assent.connections.complete({ person, browser: 'b', callback })
    told.push(end.kind)
  })
  const client = await connect(how, { only: 'notes' })
  client.answers(() => ({ action: 'accept' }))
  const advance = (ms: number) => {
    moved += ms
  }
  return { assent, client, told, begin, person, advance }
}

test.each([
  ['2025', connect11],
  ['2026', connect26],
] as const)('a server that answers 401 needs no settings: a client of %s connects and calls', async (_, how) => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const { assent, client, told } = await meet(server, [oauth], how)

  expect((await client.call('read')).text).toBe('read done')
  expect(server.runs).toEqual(['ada'])
  expect(told).toEqual(['begun', 'connected'])
  const [view] = await assent.connections.list(local)
  expect(view?.issuedBy).toMatchObject({ issuer: oauth.issuer, resource: server.url.href })
  expect((await client.call('read')).text).toBe('read done')
  expect(told).toHaveLength(2)
  expect(oauth.count('/reg')).toBe(1)
})

describe('what an MCP server says of its login', () => {
  const failing = async (change: (server: ProtectedServer) => void, oauth?: OAuthServer) => {
    const known = oauth ?? (await startOAuthServer({ registration: true }))
    const server = await startProtectedServer(known.issuer)
    change(server)
    const { begin } = await meet(server, [known])
    const begun = await begin()
    if (begun.kind !== 'failed') throw new Error(`It was ${begun.kind}`)
    return { message: begun.message, server, oauth: known }
  }

  test('is not believed when it is about another address: its tokens could be used elsewhere', async () => {
    const other = 'https://bank.example.com/mcp'
    const { message, oauth } = await failing((server) => {
      server.metadata = { resource: other, authorization_servers: [server.issuer] }
    })
    expect(message).toContain('another address than its own')
    expect(oauth.requests).toEqual([])
  })

  test.each([
    ['a path beside it', '/mcp-other'],
    ['a path below it', '/mcp/more'],
    ['another query', '/mcp?tenant=2'],
  ])('is not believed when its resource is %s', async (_, path) => {
    const { message } = await failing((server) => {
      server.metadata = { resource: new URL(path, server.url).href, authorization_servers: [server.issuer] }
    })
    expect(message).toContain('another address than its own')
  })

  test('is not fetched from another origin', async () => {
    const elsewhere = await startProtectedServer('http://127.0.0.1:9')
    const { message } = await failing((server) => {
      server.challenge = `Bearer resource_metadata="${elsewhere.url.origin}/.well-known/oauth-protected-resource/mcp"`
    })
    expect(message).toContain('at another site')
    expect(elsewhere.paths).toEqual([])
  })

  test('is found without a challenge too, and not where a redirect leads', async () => {
    const oauth = await startOAuthServer({ registration: true })
    const server = await startProtectedServer(oauth.issuer)
    server.challenge = undefined
    expect((await (await meet(server, [oauth])).begin()).kind).toBe('begun')

    const { message } = await failing((moved) => {
      moved.serve = (_, response) => void response.writeHead(302, { location: server.url.href }).end()
    })
    expect(message).toContain('redirects to another address')
  })

  test('is not read when it is too long or never ends', async () => {
    const { message } = await failing((server) => {
      server.metadata = { resource: server.url.href, authorization_servers: [server.issuer], x: 'x'.repeat(1_200_000) }
    })
    expect(message).toContain('too long')
    const slow = await failing((server) => {
      server.serve = (_, response) => void response.writeHead(200).write('{')
    })
    expect(slow.message).toContain('did not answer in time')
  })

  test.each([
    ['no list', undefined],
    ['an empty list', []],
    ['no address', ['notes']],
  ])('names no authorization server with %s', async (_, authorization_servers) => {
    const { message } = await failing((server) => {
      server.metadata = { resource: server.url.href, authorization_servers }
    })
    expect(message).toContain('does not say where people sign in')
  })

  test('leads to no address over http but on this machine', async () => {
    const { message } = await failing((server) => {
      server.metadata = { resource: server.url.href, authorization_servers: ['http://login.example.com'] }
    })
    expect(message).toContain('may not use')
  })

  test('that is missing ends with a message, not with a wait', async () => {
    const { message } = await failing((server) => {
      server.metadata = undefined
    })
    expect(message).toContain('does not say where people sign in')
  })

  test('a server that registers nobody gets a message that names the settings', async () => {
    const { message, server, oauth } = await failing(() => {}, await startOAuthServer())
    for (const part of [oauth.issuer, '/oauth/callback', 'clientId', 'provider: notes', server.url.href]) {
      expect(message).toContain(part)
    }
  })
})

test('the client that waits is told too why nobody can connect', async () => {
  const oauth = await startOAuthServer()
  const server = await startProtectedServer(oauth.issuer)
  const { client, told } = await meet(server, [oauth])
  const { text, isError } = await client.call('read')
  expect(isError).toBe(true)
  expect(text).toContain('clientId')
  expect(told).toHaveLength(1)
})

test('a server that changes its issuer asks again, and the old refresh token is given to nobody', async () => {
  const [first, second] = [
    await startOAuthServer({ registration: true }),
    await startOAuthServer({ registration: true }),
  ]
  const server = await startProtectedServer(first.issuer)
  const { client, assent, told } = await meet(server, [first, second])
  expect((await client.call('read')).text).toBe('read done')

  server.issuer = second.issuer
  server.metadata = { resource: server.url.href, authorization_servers: [second.issuer] }
  expect((await client.call('read')).text).toBe('read done')
  expect(told).toEqual(['begun', 'connected', 'begun', 'connected'])
  const [view] = await assent.connections.list(local)
  expect(view?.issuedBy?.issuer).toBe(second.issuer)
  expect(first.count('/token', 'refresh_token')).toBe(0)
  expect(second.count('/token', 'refresh_token')).toBe(0)
  expect((await assent.store.registrations.list(10)).map(({ issuer }) => issuer).sort()).toEqual(
    [first.issuer, second.issuer].sort(),
  )
})

test('tokens are renewed at their issuer, with the registration of any process', async () => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const { client, told, advance } = await meet(server, [oauth])
  await client.call('read')
  advance(3_590_000)
  expect((await client.call('read')).text).toBe('read done')
  expect(told).toHaveLength(2)
  expect(oauth.count('/token', 'refresh_token')).toBe(1)
})

test('a server that forgot us is registered at again, before the person is sent there', async () => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const { client, assent, begin, told } = await meet(server, [oauth])
  expect((await begin()).kind).toBe('begun')
  const [before] = await assent.store.registrations.list(10)

  oauth.forgetClients()
  expect((await client.call('read')).text).toBe('read done')
  expect(told).toEqual(['begun', 'connected'])
  const [after] = await assent.store.registrations.list(10)
  expect(after?.clientId).not.toBe(before?.clientId)
  expect(oauth.count('/reg')).toBe(2)
})

test('two processes that register at once keep one client', async () => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const { assent, begin } = await meet(server, [oauth])
  const begun = await Promise.all([begin(), begin(), begin()])
  const clients = begun.map((one) => (one.kind === 'begun' ? new URL(one.url).searchParams.get('client_id') : ''))
  const [kept] = await assent.store.registrations.list(10)
  expect(new Set(clients)).toEqual(new Set([kept?.clientId]))
})

describe('a mix-up', () => {
  test('the answer of one server at the callback of another is refused, and gives no code away', async () => {
    const [honest, other] = [
      await startOAuthServer({ registration: true }),
      await startOAuthServer({ registration: true }),
    ]
    const server = await startProtectedServer(other.issuer)
    const { begin, assent, person } = await meet(server, [other])
    const begun = await begin()
    if (begun.kind !== 'begun') return expect.unreachable()
    const callback = await other.visit(begun.url, { account: 'ada' })
    const parts = callback.pathname.split('/')
    const elsewhere = new URL(callback)
    elsewhere.pathname = [...parts.slice(0, -1), `${parts.at(-1)?.slice(0, -1)}_`].join('/')
    const end = await assent.connections.complete({ person, browser: 'b', callback: elsewhere })
    expect(end).toEqual({ kind: 'refused', why: 'other-server' })
    expect(other.count('/token')).toBe(0)
    expect(honest.requests).toEqual([])
  })

  test('an answer that names another issuer is refused (RFC 9207)', async () => {
    const oauth = await startOAuthServer({ registration: true })
    const server = await startProtectedServer(oauth.issuer)
    const { begin, assent, person } = await meet(server, [oauth])
    const begun = await begin()
    if (begun.kind !== 'begun') return expect.unreachable()
    const callback = await oauth.visit(begun.url, { account: 'ada' })
    callback.searchParams.set('iss', 'https://login.example.com')
    const end = await assent.connections.complete({ person, browser: 'b', callback })
    expect(end.kind).toBe('failed')
    expect(oauth.count('/token')).toBe(0)
  })

  test('tokens that one server issued are not used where the settings name another', async () => {
    const oauth = await startOAuthServer({ registration: true })
    const [server, moved] = [await startProtectedServer(oauth.issuer), await startProtectedServer(oauth.issuer)]
    const { client, assent } = await meet(server, [oauth])
    await client.call('read')
    const [kept] = await assent.store.connections.list(local)
    const again = await meet(moved, [oauth])
    await again.assent.store.connections.put(kept as never)
    expect(await again.assent.connections.access(local, 'notes')).toMatchObject({ kind: 'missing', why: 'none' })
  })
})

test('the resource is in every request that gets tokens', async () => {
  const oauth = await startOAuthServer({ registration: true })
  const server = await startProtectedServer(oauth.issuer)
  const { begin } = await meet(server, [oauth])
  const begun = await begin()
  if (begun.kind !== 'begun') return expect.unreachable()
  const { searchParams } = new URL(begun.url)
  expect(searchParams.get('resource')).toBe(server.url.href)
  expect(searchParams.get('code_challenge_method')).toBe('S256')
  expect(searchParams.get('scope')).toBe('notes.read offline_access')
})
