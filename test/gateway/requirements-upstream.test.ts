import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { done, type PlainUpstream, pageOf, plainUpstream, type Said } from '../support/gateway/plain-upstream.ts'
import { callOf, modernCall, openSession, send } from '../support/server/endpoint.ts'
import { replyOf } from '../support/server/everything-on-wire.ts'
import { listening, say, until } from '../support/server/servers.ts'
import { aClient, at, call, opened, textOf } from './upstream/upstreams.ts'

const clients = [
  ['2025', connect11],
  ['2026', connect26],
] as const
const never = new AbortController().signal

describe.each(clients)('a client of %s that shows forms alone', (_, how) => {
  test('never sees a form for a key: where nobody can be sent to a page, nobody is asked (E11-02)', async () => {
    const providers = { notes: { apiKey: true, title: 'Notes', header: 'X-Notes-Key' } }
    for (const fallback of ['deny', 'inbox']) {
      const up = await newServer((mcp) => void mcp.registerTool('list', {}, () => say('notes')))
      const { connect } = await gated(
        { notes: { url: up, provider: 'notes' } },
        { assentOptions: { providers, policy: { default: 'allow', fallback } } as never },
      )
      const client = await connect(how, { only: 'notes', elicitation: { form: {} } })
      client.answers(() => ({ action: 'accept', content: { apiKey: 'planted' } }))
      const end = await client.call('list').catch((error) => error as { code: number })
      if ('code' in end) expect(end.code).toBe(-32_021)
      else expect(end.isError).toBe(true)
      expect(client.asked).toEqual([])
    }
  })
})

describe('a page of an upstream', () => {
  test.each(clients)('is not fetched by us, in no way of asking, for a client of %s (E11-35)', async (_, how) => {
    let hits = 0
    const target = await listening((_request: unknown, response: { end(): void }) => {
      hits += 1
      response.end()
    })
    const url = target.href
    const page = { mode: 'url' as const, message: 'Open', url, elicitationId: 'e1' }
    const old = await oldServer((mcp) => {
      mcp.registerTool('open', {}, async () => say((await mcp.server.elicitInput(page)).action))
      mcp.registerTool('first', {}, async () => {
        throw new UrlElicitationRequiredError([page])
      })
    })
    const modern = await newServer((mcp) => {
      mcp.registerTool('open', {}, ({ mcpReq }) => {
        const given = mcpReq.inputResponses?.page as { action: string } | undefined
        if (given !== undefined) return say(given.action)
        return inputRequired({ inputRequests: { page: pageOf('Open', url) as never } })
      })
    })
    const { connect, assent } = await gated({ old: { url: old }, new: { url: modern } })
    const client = await connect(how)
    client.answers(() => ({ action: 'decline' }))
    expect((await client.call('old__open')).text).toBe('decline')
    expect((await client.call('new__open')).text).toBe('decline')
    await client.call('old__first').catch(() => {})
    // In the inbox too.
    const stop = assent.events.listen(({ kind, ...news }) => {
      if (kind !== 'asked' || !('elicitation' in news)) return
      const person = { participant: 'local' as never, groups: [], via: 'inbox' as const }
      void assent.answer(news.elicitation.id, person, { action: 'accept' })
    })
    const without = await connect(how, { elicitation: undefined })
    expect((await without.call('new__open')).text).toBe('accept')
    stop()
    expect(hits).toBe(0)
    // Whoever does open it is seen.
    await fetch(target)
    expect(hits).toBe(1)
  })
})

describe('an error of an upstream', () => {
  const meet = async (era: '2025' | '2026', errors: Record<string, Said>, options: object = {}) => {
    const up = await plainUpstream(
      era,
      ({ method, params }) => {
        if (method === 'tools/call' || method === 'prompts/get') return errors[String(params.name)]
        return method === 'resources/read' ? errors.resource : undefined
      },
      Object.keys(errors).map((name) => ({ name })),
    )
    const { url } = await gated({ up: { url: up.url } }, options)
    return new URL(`${url.href}/up`)
  }
  const told = async (url: URL, name: string, capabilities: object = {}) => {
    const { body, headers } = modernCall(name)
    const _meta = { ...body.params._meta, 'io.modelcontextprotocol/clientCapabilities': capabilities }
    return replyOf(await send(url, { body: { ...body, params: { ...body.params, _meta } }, headers }))
  }

  test.each(['2025', '2026'] as const)(
    'that 2026-07-28 does not know, or knows for one hop alone, is not handed on to its clients, from %s (B26-05)',
    async (era) => {
      const codes = [-32_042, -32_020, -32_022, -32_023, -32_050, -32_099]
      const errors = Object.fromEntries(codes.map((code) => [`${code}`, { error: { code, message: 'x', data: {} } }]))
      const resource = { error: { code: -32_002, message: 'Resource not found', data: { uri: 'note://one' } } }
      const url = await meet(era, { ...errors, own: { error: { code: 7, message: 'own' } }, resource })
      for (const code of codes) {
        const { answer } = await told(url, `${code}`)
        expect(answer.result).toMatchObject({
          isError: true,
          _meta: { 'assent/outcome': { status: 'failed', reason: 'upstream-error' } },
        })
        const prompt = await rawCall(url, { method: 'prompts/get', name: `${code}`, params: { name: `${code}` } })
        expect(prompt.error?.code).toBe(-31_001)
      }
      const read = await rawCall(url, { method: 'resources/read', name: 'note://one', params: { uri: 'note://one' } })
      expect(read.error).toEqual({ code: -32_602, message: 'Resource not found', data: { uri: 'note://one' } })
      // What is an upstream's own to say is said.
      expect((await told(url, 'own')).answer.error).toEqual({ code: 7, message: 'own' })
    },
  )

  test('that a capability is missing is told in our own words, and only of what the client lacks (B26-10)', async () => {
    const missing = (requiredCapabilities: object) => ({
      error: { code: -32_021, message: 'theirs', data: { requiredCapabilities } },
      status: 400,
    })
    const errors = { both: missing({ sampling: {}, elicitation: { url: {} } }), ask: missing({ elicitation: {} }) }
    const url = await meet('2026', errors, { elicitation: false })
    for (const [capabilities, requiredCapabilities] of [
      [{}, { sampling: {}, elicitation: { url: {} } }],
      [{ sampling: {}, elicitation: { form: {} } }, { elicitation: { url: {} } }],
      [{ elicitation: { form: {}, url: {} } }, { sampling: {} }],
    ]) {
      const { status, answer } = await told(url, 'both', capabilities)
      expect({ status, error: answer.error }).toMatchObject({
        status: 400,
        error: {
          code: -32_021,
          message: 'up needs capabilities that this client does not have',
          data: { requiredCapabilities },
        },
      })
      expect(answer.error?.data?.requiredCapabilities).toEqual(requiredCapabilities)
    }
    // It declared that, and we may not ask: no other client would do better.
    const outcome = { status: 'cannot-ask', reason: 'upstream-needs-more' }
    const { answer } = await told(url, 'ask', { elicitation: {} })
    expect(answer.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': outcome } })
    // 2025 does not know the code.
    const session = { ...(await openSession(url)), 'MCP-Protocol-Version': '2025-11-25' }
    const old = await replyOf(await send(url, { body: callOf('both'), headers: session }))
    expect(old.answer.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': outcome } })
  })
})

describe.each(['2025', '2026'] as const)('calls that are taken back from an upstream of %s', (era) => {
  const slow = async () => {
    const seen = { begun: 0, ended: 0 }
    const wait = async (signal: AbortSignal) => {
      seen.begun += 1
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
      seen.ended += 1
      return say('late')
    }
    const url =
      era === '2025'
        ? await oldServer((mcp) => void mcp.registerTool('slow', {}, ({ signal }) => wait(signal)))
        : await newServer((mcp) => void mcp.registerTool('slow', {}, ({ mcpReq }) => wait(mcpReq.signal)))
    return { url, seen }
  }

  test('by a 2026 client that hangs up end there too, by the fast way and by the usual one (H26-11)', async () => {
    const { url: up, seen } = await slow()
    const { url, gateway } = await gated({ up: { url: up } })
    for (const [where, name] of [
      [url, 'up__slow'],
      [new URL(`${url.href}/up`), 'slow'],
      [new URL(`${url.href}/up`), 'slow'],
    ] as const) {
      const before = seen.begun
      const controller = new AbortController()
      const calling = rawCall(where, { name, signal: controller.signal }).catch(() => 'gone')
      await until(() => seen.begun > before)
      controller.abort()
      expect(await calling).toBe('gone')
      await until(() => seen.ended === seen.begun)
      await until(() => gateway.upstreams()[0]?.state.inFlight === 0)
    }
  })

  test('at any moment leave nothing behind, and harm no other call (X26-02)', async () => {
    const { url, gateway } = await gated({ up: await askingUpstreams[`${era} over HTTP`]() })
    const alone = new URL(`${url.href}/up`)
    await rawCall(url, { name: 'up__echo', arguments: { text: 'warm' } })
    const names = ['echo', 'build', 'twice', 'open']
    const taken = Array.from({ length: 60 }, async (_, n) => {
      const controller = new AbortController()
      const name = names[n % names.length] as string
      const [where, called] = n % 2 ? [url, `up__${name}`] : [alone, name]
      const calling = rawCall(where, { name: called, arguments: { text: 'x' }, signal: controller.signal })
      setTimeout(() => controller.abort(), n)
      const first = await calling.catch(() => undefined)
      // Those that were asked something in time come back with it, and are taken back then.
      if (first?.result?.resultType !== 'input_required') return
      const inputResponses = Object.fromEntries(
        Object.keys(first.result.inputRequests ?? {}).map((key) => [
          key,
          { action: 'accept', content: { branch: 'x' } },
        ]),
      )
      const retry = { name: called, arguments: { text: 'x' }, requestState: first.result.requestState, inputResponses }
      await rawCall(where, { ...retry, signal: AbortSignal.timeout(1 + (n % 7)) }).catch(() => {})
      // A state that was cut off half way is good still, or says plainly that it is not.
      const last = await rawCall(where, retry)
      expect(last.result ?? last.error).toBeDefined()
    })
    const others = Array.from({ length: 20 }, (_, n) =>
      rawCall(url, { name: 'up__echo', arguments: { text: `other ${n}` } }),
    )
    expect((await Promise.all(others)).map(({ result }) => result?.content?.[0]?.text)).toEqual(
      others.map((_, n) => `other ${n}`),
    )
    await Promise.all(taken)
    const texts = async () =>
      (await rawCall(url, { name: 'up__echo', arguments: { text: 'after' } })).result?.content?.[0]?.text
    expect(await texts()).toBe('after')
    // A second round that nobody answers is kept for the client that was asked; all else is gone.
    await until(() => (gateway.upstreams()[0]?.state.inFlight ?? 0) === gateway.parked)
  })
})

describe('lists', () => {
  test('tell apart what two upstreams call by one name, whatever they call themselves (U26-02)', async () => {
    const search = (said: string) =>
      newServer((mcp) => {
        mcp.registerTool('search', {}, () => say(said))
        mcp.registerPrompt('ask', {}, () => ({
          messages: [{ role: 'user' as const, content: { type: 'text' as const, text: said } }],
        }))
      })
    const { connect } = await gated({ one: { url: await search('first') }, two: { url: await search('second') } })
    const client = await connect(connect26)
    const { tools } = (await client.listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['one__search', 'two__search'])
    expect((await client.call('one__search')).text).toBe('first')
    expect((await client.call('two__search')).text).toBe('second')
    expect(await client.prompt('one__ask')).toBe('first')
    expect(await client.prompt('two__ask')).toBe('second')
  })

  test('and what is read say how long they hold and for whom; what is private crosses to nobody (U26-04)', async () => {
    const hints = { ttlMs: 60_000, cacheScope: 'private' }
    const answers = (isPrivate: boolean, isOld = false): Parameters<typeof plainUpstream>[1] => {
      let lists = 0
      return ({ method }) => {
        const said = isOld ? {} : { ...hints, ...(!isPrivate && { cacheScope: 'public' }) }
        if (method === 'tools/list') {
          lists += 1
          return { resultType: 'complete', ...said, tools: [{ name: `t${lists}`, inputSchema: { type: 'object' } }] }
        }
        const contents = [{ uri: 'note://one', text: 'x' }]
        return method === 'resources/read' ? { resultType: 'complete', ...said, contents } : undefined
      }
    }
    const scopes: Record<string, unknown> = {}
    for (const [name, up] of Object.entries({
      private: await plainUpstream('2026', answers(true)),
      public: await plainUpstream('2026', answers(false)),
      old: await plainUpstream('2025', answers(true, true)),
    })) {
      const { url } = await gated({ up: { url: up.url } }, { withLogin: true })
      const ask = (method: string, params: object, token = 'alice/desk') =>
        rawCall(url, { method, name: 'note://one', params: { ...params }, token }) as never as Promise<{
          result: { ttlMs: number; cacheScope: string; tools: { name: string }[] }
        }>
      const seen = [
        await ask('server/discover', {}),
        await ask('tools/list', {}),
        await ask('prompts/list', {}),
        await ask('resources/list', {}),
        await ask('resources/templates/list', {}),
        await ask('resources/read', { uri: 'note://one' }),
      ]
      for (const { result } of seen) {
        expect(result.ttlMs).toBeGreaterThanOrEqual(0)
        expect(['public', 'private']).toContain(result.cacheScope)
      }
      scopes[name] = [seen[1], seen[5]].map((one) => one?.result.cacheScope)
      const names = async (token: string) => (await ask('tools/list', {}, token)).result.tools[0]?.name
      expect(await names('alice/desk')).toBe('up__t1')
      expect(await names('bob/desk')).not.toBe('up__t1')
    }
    expect(scopes).toMatchObject({ private: ['private', 'private'], public: ['public', 'public'] })
    expect((scopes.old as string[])[0]).toBe('private')
    expect((scopes.old as string[])[1]).toBe('private')
  })
})

describe('what an upstream over HTTP speaks', () => {
  const greeting = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'old', version: '0' } }
  const probed = (said: Said): Promise<PlainUpstream> =>
    plainUpstream('2025', ({ method }) => {
      if (method === 'server/discover') return said
      if (method === 'initialize') return greeting
      return method === 'tools/call' ? done('hi') : undefined
    })

  test.each([
    [-32_020, {}],
    [-32_021, { requiredCapabilities: { sampling: {} } }],
    [-32_022, { supported: ['2027-01-01'], requested: '2026-07-28' }],
  ])(
    'is not looked for among the old after an error that only the new know: %s (V26-06, V26-09)',
    async (code, data) => {
      const up = await probed({ error: { code, message: 'no', data }, status: 400 })
      const upstream = opened(at(up.url))
      expect(await upstream.era(aClient, never)).toMatchObject({ kind: 'error', error: { code } })
      expect(up.of('initialize')).toEqual([])
    },
  )

  test.each([
    [-32_601, 404],
    [-32_602, 400],
    [-32_000, 400],
    [-32_600, 200],
    [1, 500],
  ])('is 2025 after any other: %s with HTTP %s (V26-06)', async (code, status) => {
    const up = await probed({ error: { code, message: 'Bad Request' }, status })
    const upstream = opened(at(up.url))
    expect(textOf(await call(upstream, 'x'))).toBe('hi')
    expect(textOf(await call(upstream, 'x'))).toBe('hi')
    // And that is remembered.
    expect(up.of('server/discover')).toHaveLength(1)
    expect(up.of('initialize')).toHaveLength(1)
  })

  test('is remembered for 2026 as well, whoever asks (V26-06)', async () => {
    const up = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('hi') : undefined))
    const upstream = opened(at(up.url))
    for (let n = 0; n < 3; n++) expect(textOf(await call(upstream, 'x'))).toBe('hi')
    expect(up.heard.map(({ method }) => method)).toEqual(['server/discover', 'tools/call', 'tools/call', 'tools/call'])
  })
})
