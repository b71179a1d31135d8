import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import type { GrantId } from '../../src/approval/grant/grant.ts'
import type { AuditEvent } from '../../src/audit/event.ts'
import type { JsonObject } from '../../src/base/json.ts'
import type { Assent, ParticipantId } from '../../src/index.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { anAssent, testKeys } from '../support/assents.ts'
import { appendsLater } from '../support/audit/audits.ts'
import { gated, oldServer } from '../support/gateway/gateways.ts'
import { type Headers, post, raws, usual } from '../support/gateway/raw-clients.ts'
import { compiled } from '../support/programs.ts'
import { asking, say } from '../support/server/servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

const upstreams: Record<string, () => Promise<URL>> = {
  '2025': () =>
    oldServer((server) => {
      for (const name of ['echo', 'forbidden', 'fails']) {
        server.registerTool(name, { inputSchema: { text: z3.string() } }, async ({ text }) =>
          name === 'fails' ? { ...say(text), isError: true } : say(text),
        )
      }
    }),
  '2026': async () =>
    (
      await asking((server) => {
        for (const name of ['echo', 'forbidden', 'fails']) {
          server.registerTool(name, { inputSchema: z.object({ text: z.string() }) }, async ({ text }) =>
            name === 'fails' ? { ...say(text), isError: true } : say(text),
          )
        }
        const text = z.string().meta({ 'x-mcp-header': 'Text' })
        server.registerTool('repeated', { inputSchema: z.object({ text }) }, async ({ text }) => say(text))
      })
    ).url,
}

const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)])

const policy = { default: 'allow', rules: [{ tool: 'forbidden', decide: 'deny' }] } as never

async function eventsOf({ store }: Assent): Promise<AuditEvent[]> {
  const chains = await store.audit.chains()
  return (await Promise.all(chains.map(({ chain }) => store.audit.read(chain, 0, 100_000)))).flat()
}

/** The calls that the audit knows: what it says of each, by its walk. */
async function callsIn(assent: Assent): Promise<string[][]> {
  // The end of a call is kept with what is recorded next.
  await assent.record({ kind: 'custom:looked' })
  const walks = new Map<string, string[]>()
  for (const { kind, about = '', data } of await eventsOf(assent)) {
    if (!kind.startsWith('call-')) continue
    walks.set(about, [...(walks.get(about) ?? []), kind === 'call-finished' ? `${kind} ${data.outcome}` : kind])
  }
  return [...walks.values()]
}

/** A gateway in front of one upstream, and a client that made its first call. */
async function start(client: string, up: string) {
  const upstream = await (upstreams[up] as () => Promise<URL>)()
  const gate = await gated(
    { up: { url: upstream } },
    { assentOptions: { policy }, http: { limits: { bodyBytes: 4_000 } } },
  )
  const at = new URL(`${gate.url.href}/up`)
  return { ...gate, at, raw: await (raws[client] as (typeof raws)[string])(at) }
}

const cells = Object.keys(raws).flatMap((client) => Object.keys(upstreams).map((up) => [client, up] as const))

describe.each(cells)('a client of %s before an upstream of %s', (client, up) => {
  const begin = () => start(client, up)

  test('gets the same answer by the fast way as by the usual one, and the same records', async () => {
    const { assent, at, raw } = await begin()
    const { body, headersFor, headers } = raw
    const cases: [string, unknown, Headers][] = [
      ['a call', body('echo'), headersFor('echo')],
      ['a tool that fails', body('fails'), headersFor('fails')],
      ['bad arguments', body('echo', { text: 5 }), headersFor('echo')],
      ['an unknown tool', body('nothing'), headersFor('nothing')],
      ['a tool that is denied', body('forbidden'), headersFor('forbidden')],
      ['bytes that are not JSON', '{"jsonrpc":', headersFor('echo')],
      ['a body that is too long', body('echo', { text: 'x'.repeat(5_000) }), headersFor('echo')],
      ['a batch', [body('echo')], headersFor('echo')],
      ['an id that is null', { ...body('echo'), id: null }, headersFor('echo')],
      ['no name', { ...body('echo'), params: { ...body('echo').params, name: undefined } }, headersFor('echo')],
      ['a name of another method', { ...body('echo'), method: 'tools/none' }, headersFor('echo')],
      ['Accept without a stream', body('echo'), { ...headersFor('echo'), accept: 'application/json' }],
      ['another content type', body('echo'), { ...headersFor('echo'), 'content-type': 'text/plain' }],
      ['another version', body('echo'), { ...headersFor('echo'), 'mcp-protocol-version': '1999-01-01' }],
      ['a session that is none', body('echo'), { ...headers, 'mcp-name': 'echo', 'mcp-session-id': 'none' }],
      ['a name in the header that is not the one in the body', body('echo'), headersFor('fails')],
      ['a foreign page', body('echo'), { ...headersFor('echo'), origin: 'https://evil.example' }],
      ['a foreign host', body('echo'), { ...headersFor('echo'), host: 'evil.example' }],
      ['passed on from elsewhere', body('echo'), { ...headersFor('echo'), 'x-forwarded-for': '10.0.0.1' }],
      ['half a character', body('echo', { text: '\ud800' }), headersFor('echo')],
      ['half a character in a name', body('echo', { text: 'a', '\ud800': 'b' }), headersFor('echo')],
      ['what is nested deeply', body('echo', { text: nested(150) }), headersFor('echo')],
      ['an argument that no header repeats', body('repeated'), headersFor('repeated')],
      ['an argument that a header repeats', body('repeated'), { ...headersFor('repeated'), 'mcp-param-text': 'hello' }],
      ['a header that says another thing', body('repeated'), { ...headersFor('repeated'), 'mcp-param-text': 'bye' }],
    ]
    for (const [name, sent, given] of cases) {
      const before = (await callsIn(assent)).length
      const fast = await post(at, sent, given)
      const between = await callsIn(assent)
      const slow = await post(at, sent, { ...given, ...usual })
      const after = await callsIn(assent)
      expect({ name, status: fast.status, message: fast.message }).toEqual({
        name,
        status: slow.status,
        message: slow.message,
      })
      expect({ name, calls: between.slice(before) }).toEqual({ name, calls: after.slice(between.length) })
    }
  })

  test('goes the fast way with an allowed call, and the usual one with a denied call', async () => {
    const { at, raw } = await begin()
    const fast = await post(at, raw.body('echo'), raw.headersFor('echo'))
    const slow = await post(at, raw.body('echo'), { ...raw.headersFor('echo'), ...usual })
    expect(fast.type).toBe('application/json')
    expect(fast.message).toMatchObject({ result: { content: [{ type: 'text', text: 'hello' }] } })
    if (client === '2025-11-25') expect(slow.type).toMatch('text/event-stream')
  })

  test('is refused while everything is paused, and by a lasting no', async () => {
    const { assent, at, raw } = await begin()
    const local = 'local' as ParticipantId
    const refusedBoth = async () => {
      const fast = await post(at, raw.body('echo'), raw.headersFor('echo'))
      const slow = await post(at, raw.body('echo'), { ...raw.headersFor('echo'), ...usual })
      expect(fast.message).toEqual(slow.message)
      const result = fast.message?.result as { _meta: Record<string, JsonObject> } | undefined
      return result?._meta['assent/outcome']?.reason
    }
    await assent.approvals.pause(local)
    expect(await refusedBoth()).toBe('paused')
    await assent.approvals.resume(local)
    await assent.store.grants.add({
      id: 'never' as GrantId,
      version: 1,
      effect: 'deny',
      participant: local,
      server: 'up',
      tool: 'echo',
      uses: { kind: 'many' },
      grantedBy: local,
      createdAt: new Date(),
    })
    expect(await refusedBoth()).toBe('always-denied')
    expect((await callsIn(assent)).slice(-4)).toEqual(Array.from({ length: 4 }, () => ['call-refused']))
  })
})

test.each([
  ['2025-11-25', '2025'],
  ['2026-07-28', '2026'],
] as const)('a thousand calls of %s at once have each its start and its finish', async (client, up) => {
  const { assent, at, raw } = await start(client, up)
  const before = (await callsIn(assent)).length
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, id) =>
      post(at, { ...raw.body('echo', { text: `${id}` }), id }, raw.headersFor('echo')),
    ),
  )
  for (const [id, { message }] of answers.entries()) {
    expect(message).toMatchObject({ id, result: { content: [{ text: `${id}` }] } })
  }
  const calls = (await callsIn(assent)).slice(before)
  expect(calls).toHaveLength(1_000)
  expect(new Set(calls.map((call) => call.join()))).toEqual(new Set(['call-started,call-finished done']))
  expect((await assent.verifyAudit()).findings).toEqual([])
})

describe.each([
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const)('a call of %s that is under way', (_, how) => {
  const runs: string[] = []
  const jsonForm = { type: 'object' as const, properties: { branch: { type: 'string' as const } } }
  const asks: Record<string, () => Promise<URL>> = {
    '2025': () =>
      oldServer((server) => {
        server.server.registerCapabilities({ logging: {} })
        server.registerTool('echo', {}, async () => say('hello'))
        server.registerTool('build', {}, async (extra) => {
          runs.push('build')
          await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'line' } })
          const { content } = await server.server.elicitInput({ message: 'Which?', requestedSchema: jsonForm })
          return say(`built ${content?.branch}`)
        })
      }),
    '2026': async () =>
      (
        await asking((server, { plainTool }) => {
          server.registerTool('echo', {}, async () => say('hello'))
          server.registerTool(
            'build',
            {},
            plainTool(async (ask) => {
              runs.push('build')
              return say(`built ${(await ask.form('Which?', z.object({ branch: z.string() }))).branch}`)
            }),
          )
        })
      ).url,
  }

  test.each(Object.keys(asks))('goes on where its upstream of %s asks, and is sent once', async (up) => {
    const { assent, connect } = await gated({ up: { url: await (asks[up] as () => Promise<URL>)() } })
    const client = await connect(how, { only: 'up' })
    client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
    expect((await client.call('echo')).text).toBe('hello')
    runs.length = 0
    expect((await client.call('build')).text).toBe('built main')
    expect(client.asked.map(({ message }) => message)).toEqual(['[up] Which?'])
    // An upstream of 2026 is walked again with the answer.
    expect(runs).toHaveLength(up === '2025' ? 1 : 2)
    const calls = await callsIn(assent)
    expect(calls).toHaveLength(2)
    expect(calls[1]?.at(0)).toBe('call-started')
    expect(calls[1]?.at(-1)).toBe('call-finished done')
    expect(calls[1]?.filter((kind) => kind !== 'call-started')).toHaveLength(1)
  })
})

test('a call that its 2025 client takes back is stopped at its upstream, gets no answer, and has its end in the audit', async () => {
  let isStopped = false
  const upstream = await oldServer((server) => {
    server.registerTool('echo', {}, async () => say('hello'))
    server.registerTool('slow', {}, async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      isStopped = true
      return say('stopped')
    })
  })
  const { assent, gateway, url } = await gated({ up: { url: upstream } })
  const at = new URL(`${url.href}/up`)
  const raw = await (raws['2025-11-25'] as (typeof raws)[string])(at)
  const answer = post(at, { ...raw.body('slow', {}), id: 'mine' }, raw.headers)
  await expect.poll(() => gateway.upstreams()[0]?.state.inFlight).toBe(1)
  const params = { requestId: 'mine' }
  await post(at, { jsonrpc: '2.0', method: 'notifications/cancelled', params }, raw.headers)
  expect(await answer).toMatchObject({ status: 200, message: undefined })
  await expect.poll(() => isStopped).toBe(true)
  expect((await callsIn(assent)).at(-1)).toEqual(['call-started', 'call-finished failed'])
})

test('a call that its 2025 client takes back before it is sent is never sent', async () => {
  let runs = 0
  const upstream = await oldServer((server) => {
    server.registerTool('echo', {}, async () => say(`${++runs}`))
  })
  const store = openMemoryStore()
  const { append } = appendsLater(store.audit)
  const { assent, url } = await gated({ up: { url: upstream } }, { assentOptions: { store, policy } })
  const at = new URL(`${url.href}/up`)
  const raw = await (raws['2025-11-25'] as (typeof raws)[string])(at)
  await post(at, raw.body('echo', {}), raw.headers)
  const before = runs
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    store.audit.append = (events) =>
      new Promise((kept, failed) => {
        goOn = () => void append(events).then(kept, failed)
        resolve()
      })
  })
  const answer = post(at, { ...raw.body('echo', {}), id: 'mine' }, raw.headers)
  await held
  store.audit.append = append
  await post(at, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'mine' } }, raw.headers)
  goOn()
  expect(await answer).toMatchObject({ status: 200, message: undefined })
  expect((await callsIn(assent)).at(-1)).toEqual(['call-started', 'call-finished failed'])
  expect(runs).toBe(before)
})

test("another person's session is not found, as one that never was (S-08)", async () => {
  const assent = await anAssent({ policy })
  const login = {
    issuer: 'https://login.example.com',
    audience: 'http://127.0.0.1/mcp',
    byToken: async (token: string) => ({
      participant: `${token}@login` as ParticipantId,
      groups: [],
      client: 'laptop',
      scopes: [],
    }),
  }
  const { url } = await gated(
    { up: { url: await (upstreams['2025'] as () => Promise<URL>)() } },
    { assent: { ...assent, login } },
  )
  const at = new URL(`${url.href}/up`)
  const alice = { authorization: 'Bearer alice' }
  const raw = await (raws['2025-11-25'] as (typeof raws)[string])(at, alice)
  expect((await post(at, raw.body('echo'), raw.headersFor('echo'))).type).toBe('application/json')
  const asBob = await post(at, raw.body('echo'), { ...raw.headersFor('echo'), authorization: 'Bearer bob' })
  const never = await post(at, raw.body('echo'), { ...raw.headersFor('echo'), 'mcp-session-id': 'never' })
  expect([asBob.status, asBob.message]).toEqual([404, never.message])
  expect((await post(at, raw.body('echo'), { ...raw.headersFor('echo'), authorization: '' })).status).toBe(401)
})

test('a call that was answered is in the audit, even if the gateway is killed at once', async () => {
  const folder = await temporaryFolder()
  const store = `sqlite:${folder}/assent.db`
  const upstream = await (upstreams['2026'] as () => Promise<URL>)()
  const program = compiled(new URL('../support/gateway/programs/fast-gateway.ts', import.meta.url))
  const env = { ...process.env, ASSENT_KEYS: testKeys }
  const child = fork(program, [store, upstream.href], { execArgv: [], env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = (await once(child, 'message')) as [number]
  const at = new URL(`http://127.0.0.1:${port}/mcp/up`)
  const raw = await (raws['2026-07-28'] as (typeof raws)[string])(at)
  for (let n = 0; n < 20; n++) await post(at, raw.body('echo'), raw.headersFor('echo'))
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
  const assent = await anAssent({ store })
  const calls = await callsIn(assent)
  expect(calls.slice(0, -1)).toEqual(Array.from({ length: 19 }, () => ['call-started', 'call-finished done']))
  // Its end is kept with what comes next, or a moment later.
  expect(calls[19]?.[0]).toBe('call-started')
})
