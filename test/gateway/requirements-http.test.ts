import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loginByTokens } from '../../src/oauth/login/verify-token.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { anAssent } from '../support/assents.ts'
import { askingUpstreams, gated } from '../support/gateway/gateways.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { startIssuer } from '../support/oauth/issuer.ts'
import { callOf, initialize, modernCall, openSession, send } from '../support/server/endpoint.ts'
import { type Reply, replyOf } from '../support/server/everything-on-wire.ts'
import { promised, until } from '../support/server/servers.ts'

const allow = { policy: { default: 'allow', fallback: 'inbox' } } as never
const ran = ({ answer }: Reply) => (answer.result as { content?: { text: string }[] } | undefined)?.content?.[0]?.text
const outcomeIn = ({ answer }: Reply) =>
  (answer.result?._meta as { 'assent/outcome'?: object } | undefined)?.['assent/outcome']

/** A plain upstream with two tools, both served joined and alone. */
async function plain(tools: readonly object[] = [{ name: 'echo' }, { name: 'forbidden' }]) {
  const policy = { default: 'allow', fallback: 'inbox', rules: [{ tool: 'forbidden', decide: 'deny' }] }
  const up = await plainUpstream(
    '2026',
    ({ method, params }) => (method === 'tools/call' ? done(`ran ${params.name}`) : undefined),
    tools,
  )
  const { url } = await gated({ up: { url: up.url } }, { assentOptions: { policy } as never })
  const alone = new URL(`${url.href}/up`)
  return { up, url, alone }
}

describe('what the headers of a 2026 call say', () => {
  const call = (at: URL, name: string, headers: Record<string, string | undefined>, given: object = {}) => {
    const made = modernCall(name, given)
    const all = Object.entries({ ...made.headers, ...headers }).filter(([, value]) => value !== undefined)
    return send(at, { body: made.body, headers: Object.fromEntries(all) as Record<string, string> }).then(replyOf)
  }

  test.each([
    ['no method', { 'Mcp-Method': undefined }],
    ['another method', { 'Mcp-Method': 'tools/list' }],
    ['no name', { 'Mcp-Name': undefined }],
    ['the name of another tool', { 'Mcp-Name': 'other' }],
    ['a name that is badly encoded', { 'Mcp-Name': '=?base64?%%%?=' }],
    ['another name, encoded', { 'Mcp-Name': `=?base64?${Buffer.from('other').toString('base64')}?=` }],
    ['another version', { 'MCP-Protocol-Version': '2025-11-25' }],
  ])('has to be what the body says: %s is 400, and nothing runs (H26-06, H26-15)', async (_, headers) => {
    const { up, url, alone } = await plain()
    for (const [at, name] of [
      [url, 'up__echo'],
      [alone, 'echo'],
    ] as const) {
      expect(ran(await call(at, name, {}))).toBe('ran echo')
      const { status, answer } = await call(at, name, headers)
      expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32_020 })
      const encoded = { 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` }
      expect(ran(await call(at, name, encoded))).toBe('ran echo')
    }
    expect(up.of('tools/call')).toHaveLength(4)
  })

  test('of its parameters is checked where the tool names them, and passed on where it does not (H26-06, H26-14)', async () => {
    const properties = { region: { type: 'string', 'x-mcp-header': 'Region' }, other: { type: 'string' } }
    const { up, url, alone } = await plain([{ name: 'echo', inputSchema: { type: 'object', properties } }])
    for (const [at, name] of [
      [url, 'up__echo'],
      [alone, 'echo'],
    ] as const) {
      const before = up.of('tools/call').length
      const given = { region: 'north', other: 'x' }
      for (const headers of [{}, { 'Mcp-Param-Region': 'south' }, { 'Mcp-Param-Region': '=?base64?%%?=' }]) {
        const { status, answer } = await call(at, name, headers, given)
        expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32_020 })
      }
      expect(up.of('tools/call')).toHaveLength(before)
      const headers = { 'Mcp-Param-Region': 'north', 'Mcp-Param-Unknown': 'as it is' }
      expect(ran(await call(at, name, headers, given))).toBe('ran echo')
      expect(up.of('tools/call').at(-1)?.headers).toMatchObject({
        'mcp-param-region': 'north',
        'mcp-param-unknown': 'as it is',
      })
    }
  })

  test('of a name is the upstream’s own where we call it otherwise (H26-04)', async () => {
    const long = 'x'.repeat(70)
    const { up, url } = await plain([{ name: 'écho' }, { name: long }])
    const tools = (await rawCall(url, { method: 'tools/list', name: '', params: {} })) as never as {
      result: { tools: { name: string }[] }
    }
    const names = ['écho', long]
    for (const [n, { name }] of tools.result.tools.entries()) {
      const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`
      expect(ran(await call(url, name, { 'Mcp-Name': encoded }))).toBe(`ran ${names[n]}`)
      expect(up.of('tools/call').at(-1)).toMatchObject({
        params: { name: names[n] },
        headers: {
          'mcp-method': 'tools/call',
          'mcp-name': n === 0 ? `=?base64?${Buffer.from('écho').toString('base64')}?=` : long,
        },
      })
    }
    await rawCall(url, { method: 'resources/read', name: 'note://one', params: { uri: 'note://one' } })
    expect(up.of('resources/read')[0]?.headers['mcp-name']).toBe('note://one')
  })

  test('is not what policy goes by, on a version that does not check them (H26-15)', async () => {
    const { up, alone } = await plain()
    const session = { ...(await openSession(alone)), 'MCP-Protocol-Version': '2025-11-25' }
    for (let n = 0; n < 2; n++) {
      const headers = { ...session, 'Mcp-Method': 'tools/call', 'Mcp-Name': 'echo' }
      expect(ran(await replyOf(await send(alone, { body: callOf('echo'), headers })))).toBe('ran echo')
      const reply = await replyOf(await send(alone, { body: callOf('forbidden'), headers }))
      expect(outcomeIn(reply)).toMatchObject({ status: 'denied' })
    }
    expect(up.of('tools/call').map(({ params }) => params.name)).toEqual(['echo', 'echo'])
  })
})

test('a page elsewhere, and another host name, get 403 at every address, and nothing runs (H26-01)', async () => {
  const { up, url, alone } = await plain()
  const status = (at: URL, name: string, headers: Record<string, string>) =>
    new Promise<number | undefined>((resolve, reject) => {
      const made = modernCall(name)
      const common = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
      const sent = request(at, { method: 'POST', headers: { ...common, ...made.headers, ...headers } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      sent.on('error', reject).end(JSON.stringify(made.body))
    })
  for (const [at, name] of [
    [url, 'up__echo'],
    [alone, 'echo'],
  ] as const) {
    for (const Origin of ['https://evil.example', 'null', `http://${url.host}.evil.example`])
      expect(await status(at, name, { Origin })).toBe(403)
    expect(await status(at, name, { Host: 'evil.example' })).toBe(403)
    expect(up.of('tools/call')).toEqual([])
  }
  for (const [at, name] of [
    [url, 'up__echo'],
    [alone, 'echo'],
  ] as const)
    expect(await status(at, name, { Origin: url.origin })).toBe(200)
})

describe.each(['2025', '2026'] as const)('the ids of requests to an upstream of %s', (era) => {
  test('are our own, of a right kind, and no two in flight are one, whatever its clients say (B26-01)', async () => {
    const all = promised()
    let inFlight = 0
    const up = await plainUpstream(
      era,
      async ({ method, params }) => {
        if (method !== 'tools/call') return undefined
        inFlight += 1
        if (inFlight === 40) all.keep()
        await all.promise
        return done(String((params.arguments as { text: string }).text))
      },
      [{ name: 'echo' }],
    )
    const { url } = await gated({ up: { url: up.url } })
    const alone = new URL(`${url.href}/up`)
    // Each of them says 1.
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        rawCall(n % 2 ? url : alone, { name: n % 2 ? 'up__echo' : 'echo', arguments: { text: `${n}` } }),
      ),
    )
    expect(replies.map(({ result }) => result?.content?.[0]?.text)).toEqual(replies.map((_, n) => `${n}`))
    expect(replies.every((reply) => (reply as { id?: unknown }).id === 1)).toBe(true)
    const ids = up.of('tools/call').map(({ id, headers }) => `${typeof id} ${headers['mcp-session-id']} ${id}`)
    expect(new Set(ids).size).toBe(40)
    expect(ids.every((id) => /^(number|string) /.test(id))).toBe(true)
    for (const id of [null, 1.5, {}]) {
      const { body, headers } = modernCall('echo')
      expect((await send(alone, { body: { ...body, id }, headers })).status).toBe(400)
    }
    expect(up.of('tools/call')).toHaveLength(40)
  })
})

test('both eras are served at one address, one request after the other, and neither is taken for the other (V26-05)', async () => {
  const { url } = await gated({ up: await askingUpstreams['2025 over HTTP']() })
  const old = await connect11({ url })
  const modern = await connect26({ url })
  onTestFinished(() => Promise.all([old.close(), modern.close()]).then(() => {}))
  for (const client of [old, modern]) client.answers(() => ({ action: 'accept', content: { branch: client.revision } }))
  for (const client of [old, modern, old, modern]) {
    expect((await client.call('up__build')).text).toBe(`built ${client.revision}`)
  }
  await Promise.all([old, modern, old, modern].map((client) => client.call('up__echo', { text: 'x' })))
  // A request of 2026 stands alone, also where it names a session; and it gets none.
  const session = await openSession(url)
  const { body, headers } = modernCall('up__echo', { text: 'x' })
  const reply = await replyOf(await send(url, { body, headers: { ...headers, ...session } }))
  expect(reply.headers.get('mcp-session-id')).toBeNull()
  expect(reply.answer.result?.resultType).toBe('complete')
  expect((await replyOf(await send(url, { body: initialize }))).headers.get('mcp-session-id')).not.toBeNull()
})

describe('a 2025 session', () => {
  const meet = async (era: '2025' | '2026') => {
    const { url, gateway } = await gated({ up: await askingUpstreams[`${era} over HTTP`]() }, { withLogin: true })
    const at = new URL(`${url.href}/up`)
    const alice = { Authorization: 'Bearer alice/desk' }
    const open: Record<string, string> = {
      ...(await openSession(at, alice)),
      'MCP-Protocol-Version': '2025-11-25',
    }
    await send(at, { body: { jsonrpc: '2.0', method: 'notifications/initialized' }, headers: open })
    return { at, gateway, alice, open }
  }

  test('has to be named, and is not found once it ended; no session is let in by its name alone (H11-02, H11-03, S-08)', async () => {
    const { at, gateway, alice, open } = await meet('2025')
    const status = async (headers: Record<string, string>) =>
      (await replyOf(await send(at, { body: callOf('echo', { text: 'x' }), headers }))).status
    for (let n = 0; n < 2; n++) {
      expect(await status(open)).toBe(200)
      expect(await status({ ...alice, 'MCP-Protocol-Version': '2025-11-25' })).toBe(400)
      expect(await status({ ...open, Authorization: 'Bearer bob/desk' })).toBe(404)
      expect(await status({ ...open, Authorization: 'Bearer alice/phone' })).toBe(404)
      const { Authorization: _, ...bare } = open
      expect(await status(bare)).toBe(401)
    }
    const stolen = { ...open, Authorization: 'Bearer bob/desk' }
    expect((await send(at, { method: 'DELETE', headers: stolen })).status).toBe(404)
    expect(gateway.sessions).toBe(1)
    const before = gateway.upstreams()[0]?.state.open ?? 0
    expect((await send(at, { method: 'DELETE', headers: open })).status).toBe(200)
    expect(gateway.sessions).toBe(0)
    expect(await status(open)).toBe(404)
    // What the upstream kept for it is gone as well.
    await until(() => gateway.upstreams()[0]?.state.open === before - 1)
  })

  test('takes an answer from whoever was asked, for the call that asked, and from nobody else (H11-04, E11-25)', async () => {
    const { at, open } = await meet('2026')
    const asking = [1, 2].map(async (id) => {
      // Identical calls would join one question.
      const response = await send(at, { body: { ...callOf('build', { id }), id }, headers: open })
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      const read = async (what: RegExp) => {
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
          text += part.value
          if (what.test(text)) break
        }
        return text
      }
      const asked = /data: (\{.*"elicitation\/create".*\})/.exec(await read(/"elicitation\/create".*\n/))?.[1]
      return { id: (JSON.parse(String(asked)) as { id: unknown }).id, end: () => read(/"result"|"error"/) }
    })
    const [first, second] = await Promise.all(asking)
    const answer = async (id: unknown, branch: string, headers = open) =>
      (
        await send(at, {
          body: { jsonrpc: '2.0', id, result: { action: 'accept', content: { branch } } },
          headers,
        })
      ).status
    const bob = await openSession(at, { Authorization: 'Bearer bob/desk' })
    expect(await answer(first?.id, 'bob', { ...open, Authorization: 'Bearer bob/desk' })).toBe(404)
    expect(await answer(first?.id, 'bob', { ...bob, 'MCP-Protocol-Version': '2025-11-25' })).toBe(202)
    expect(await answer(second?.id, 'two')).toBe(202)
    expect(await answer(first?.id, 'one')).toBe(202)
    expect(await first?.end()).toContain('built one')
    expect(await second?.end()).toContain('built two')
  })
})

describe('with a login', () => {
  const meet = async (http: object = {}) => {
    const issuer = await startIssuer()
    const audience = 'https://assent.test/mcp'
    const assent = await anAssent(allow)
    const guarded = { ...assent, login: loginByTokens({ issuer: issuer.issuer, audience }) }
    const ups = await Promise.all(
      (['2025', '2026'] as const).map((era) =>
        plainUpstream(era, ({ method }) => (method === 'tools/call' ? done('ran') : undefined), [{ name: 'echo' }]),
      ),
    )
    const [old, modern] = ups.map(({ url }) => ({ url })) as [{ url: URL }, { url: URL }]
    const { url } = await gated({ old, new: modern }, { assent: guarded, http })
    return { url, ups, mint: (claims: object = {}) => issuer.mint({ aud: audience, ...claims }), issuer: issuer.issuer }
  }
  const addresses = (url: URL) =>
    [
      [url, 'old__echo'],
      [url, 'new__echo'],
      [new URL(`${url.href}/old`), 'echo'],
      [new URL(`${url.href}/new`), 'echo'],
    ] as const

  test('only a good token for this very server gets in, with every request and at every address (O-01, S-06)', async () => {
    const { url, ups, mint } = await meet()
    const good = `Bearer ${await mint()}`
    const bad = [
      `Bearer ${await mint({ aud: 'https://other.test/mcp' })}`,
      `Bearer ${await mint({ exp: 1 })}`,
      `Bearer ${await mint({ iss: 'https://evil.test' })}`,
      'Bearer garbage',
      '',
    ]
    for (const [at, name] of addresses(url)) {
      const { body, headers } = modernCall(name)
      const session = { ...(await openSession(at, { Authorization: good })), 'MCP-Protocol-Version': '2025-11-25' }
      const calls = () => ups.flatMap((up) => up.of('tools/call')).length
      for (let n = 0; n < 2; n++) {
        expect((await replyOf(await send(at, { body, headers: { ...headers, Authorization: good } }))).status).toBe(200)
        expect((await replyOf(await send(at, { body: callOf(name), headers: session }))).status).toBe(200)
        const before = calls()
        for (const Authorization of bad) {
          expect((await send(at, { body, headers: { ...headers, Authorization } })).status).toBe(401)
          expect((await send(at, { body: callOf(name), headers: { ...session, Authorization } })).status).toBe(401)
        }
        expect(calls()).toBe(before)
      }
    }
  })

  test('the token of a client stays here: no upstream ever sees it, nor one in the query (O-02, O-05, E11-28)', async () => {
    const { url, ups, mint } = await meet()
    const token = await mint()
    const Authorization = `Bearer ${token}`
    for (const [at, name] of addresses(url)) {
      const { body, headers } = modernCall(name)
      const asked = new URL(`${at.href}?access_token=planted-in-query`)
      const session = { ...(await openSession(asked, { Authorization })), 'MCP-Protocol-Version': '2025-11-25' }
      for (let n = 0; n < 2; n++) {
        expect(ran(await replyOf(await send(asked, { body, headers: { ...headers, Authorization } })))).toBe('ran')
        expect(ran(await replyOf(await send(asked, { body: callOf(name), headers: session })))).toBe('ran')
      }
      // A token in the query is none.
      const inQuery = new URL(`${at.href}?access_token=${token}`)
      expect((await send(inQuery, { body, headers })).status).toBe(401)
    }
    for (const { heard, of } of ups) {
      expect(of('tools/call').length).toBeGreaterThanOrEqual(8)
      const seen = JSON.stringify(heard)
      for (const secret of [token, token.split('.')[2] as string, 'planted-in-query', 'access_token'])
        expect(seen).not.toContain(secret)
      expect(heard.filter(({ headers }) => headers.authorization !== undefined)).toEqual([])
    }
  })

  test('whoever has no token, or too little of one, is told where to get it and for what (O-03, O-04)', async () => {
    const { url, mint, issuer } = await meet({ requiredScopes: ['mcp', 'tools'] })
    const metadata = 'https://assent.test/.well-known/oauth-protected-resource/mcp'
    for (const [at, name] of addresses(url)) {
      const { body, headers } = modernCall(name)
      const none = await send(at, { body, headers })
      expect(none.status).toBe(401)
      expect(none.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`)
      expect(none.headers.get('www-authenticate')).toContain('scope="mcp tools"')
      const Authorization = `Bearer ${await mint({ scope: 'mcp' })}`
      const narrow = await send(at, { body, headers: { ...headers, Authorization } })
      expect(narrow.status).toBe(403)
      for (const words of ['error="insufficient_scope"', 'scope="mcp tools"', `resource_metadata="${metadata}"`])
        expect(narrow.headers.get('www-authenticate')).toContain(words)
    }
    for (const path of ['', '/mcp']) {
      const found = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, url))
      expect(await found.json()).toMatchObject({
        resource: 'https://assent.test/mcp',
        authorization_servers: [issuer],
        scopes_supported: ['mcp', 'tools'],
      })
    }
  })
})
