import { inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import type { Assent } from '../../src/index.ts'
import {
  type AskedClient,
  type Connect,
  type ConnectOptions,
  connect11,
  connect26,
} from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { type Gated, gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { connectByPipe } from '../support/gateway/pipes.ts'
import { allowOnce } from '../support/server/approving.ts'
import { promised, say, until } from '../support/server/servers.ts'

const policy = {
  default: 'allow',
  fallback: 'inbox',
  rules: [
    { tool: 'forbidden', decide: 'deny' },
    { tool: 'asked', decide: 'ask' },
  ],
} as const

/** What an upstream did, and how it is released. */
function record() {
  const slow = promised()
  return { runs: [] as string[], aborted: [] as string[], slow }
}
type Recorded = ReturnType<typeof record>

/**
 * An Assent that tells which of the two ended a call: the fast path records the end of a call with the next write, the
 * SDK server's handler before the answer goes out.
 */
function telling(assent: Assent): { readonly assent: Assent; readonly endedBy: string[] } {
  const endedBy: string[] = []
  const { finish, finishSoon } = assent.approvals
  const approvals: Assent['approvals'] = Object.assign(Object.create(assent.approvals), {
    finish: (...args: Parameters<typeof finish>) => {
      endedBy.push('SDK server')
      return finish(...args)
    },
    finishSoon: (...args: Parameters<typeof finishSoon>) => {
      endedBy.push('fast path')
      return finishSoon(...args)
    },
  })
  return { assent: { ...assent, approvals }, endedBy }
}

const textNames = ['echo', 'forbidden', 'asked', 'fails'] as const
const answer = (name: string, text: string) => (name === 'fails' ? { ...say(text), isError: true } : say(text))
const form = { type: 'object' as const, properties: { branch: { type: 'string' as const } } }

async function untilReleased({ slow, aborted, runs }: Recorded, signal: AbortSignal) {
  runs.push('slow')
  const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  await Promise.race([slow.promise, gone])
  if (signal.aborted) aborted.push('slow')
  return say('slow')
}

const upstreams = {
  '2025': (recorded: Recorded) =>
    oldServer((server) => {
      for (const name of textNames)
        server.registerTool(name, { inputSchema: { text: z3.string() } }, async ({ text }) => {
          recorded.runs.push(name)
          return answer(name, text)
        })
      server.registerTool('build', {}, async () => {
        recorded.runs.push('build')
        const { content } = await server.server.elicitInput({ message: 'Which?', requestedSchema: form })
        return say(`built ${content?.branch}`)
      })
      server.registerTool('slow', {}, ({ signal }) => untilReleased(recorded, signal))
      server.registerTool('steps', {}, async ({ _meta, sendNotification }) => {
        const progressToken = _meta?.progressToken as string
        for (const progress of [1, 2, 3])
          await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
        return say('stepped')
      })
    }),
  '2026': (recorded: Recorded) =>
    newServer((server) => {
      for (const name of textNames)
        server.registerTool(name, { inputSchema: z.object({ text: z.string() }) }, ({ text }) => {
          recorded.runs.push(name)
          return answer(name, text)
        })
      server.registerTool('build', {}, ({ mcpReq }: ServerContext) => {
        recorded.runs.push('build')
        const given = mcpReq.inputResponses?.branch as { content?: { branch: string } } | undefined
        if (given !== undefined) return say(`built ${given.content?.branch}`)
        const params = { mode: 'form', message: 'Which?', requestedSchema: form } as const
        return inputRequired({ inputRequests: { branch: { method: 'elicitation/create', params } as never } })
      })
      server.registerTool('slow', {}, ({ mcpReq }: ServerContext) => untilReleased(recorded, mcpReq.signal))
      server.registerTool('steps', {}, async ({ mcpReq }: ServerContext) => {
        const progressToken = mcpReq._meta?.progressToken as string
        for (const progress of [1, 2, 3])
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } })
        return say('stepped')
      })
    }),
}

type ConnectAt = (gate: Gated, how: Connect, options?: ConnectOptions) => Promise<AskedClient>

const places: Record<string, { connect: ConnectAt; nameOf(tool: string): string; isPipe: boolean }> = {
  '/mcp': { connect: (gate, how, options) => gate.connect(how, options), nameOf: joined, isPipe: false },
  '/mcp/{server}': {
    connect: (gate, how, options) => gate.connect(how, { ...options, only: 'up' }),
    nameOf: (tool) => tool,
    isPipe: false,
  },
  'a pipe of all servers': {
    connect: ({ gateway }, how, options) => connectByPipe(gateway, how, undefined, options),
    nameOf: joined,
    isPipe: true,
  },
  'a pipe of one server': {
    connect: ({ gateway }, how, options) => connectByPipe(gateway, how, 'up', options),
    nameOf: (tool) => tool,
    isPipe: true,
  },
}

function joined(tool: string): string {
  return `up__${tool}`
}

const revisions: Record<string, Connect> = { '2025-11-25': connect11, '2026-07-28': connect26 }

const cells = Object.keys(places).flatMap((place) =>
  Object.keys(revisions).flatMap((revision) =>
    (Object.keys(upstreams) as (keyof typeof upstreams)[]).map((up) => [place, revision, up] as const),
  ),
)

describe.each(cells)('at %s, a client of %s before an upstream of %s', (place, revision, up) => {
  const { connect, nameOf, isPipe } = places[place] as (typeof places)[string]
  const how = revisions[revision] as Connect

  /** A client that made its first call, which prepares the way for those that follow. */
  async function begin(options?: ConnectOptions) {
    const recorded = record()
    const { assent, endedBy } = telling(await anAssent({ policy }))
    const gate = await gated({ up: { url: await upstreams[up](recorded) } }, { assent })
    const client = await connect(gate, how, options)
    const call = (tool: string, args: Record<string, unknown> = {}, more?: Parameters<AskedClient['call']>[2]) =>
      client.call(nameOf(tool), args, more)
    expect((await call('echo', { text: 'first' })).text).toBe('first')
    recorded.runs.length = 0
    const before = (await callsIn(assent)).length
    endedBy.length = 0
    /** What the audit says of the calls after the first. */
    const calls = async () => (await callsIn(assent)).slice(before)
    return { ...recorded, client, call, calls, endedBy }
  }

  test('an allowed call needs no SDK server', async () => {
    const { call, calls, endedBy } = await begin()
    expect(await call('echo', { text: 'hello' })).toMatchObject({ isError: false, text: 'hello' })
    expect(await call('fails', { text: 'no' })).toMatchObject({ isError: true, text: 'no' })
    expect(endedBy).toEqual(['fast path', 'fast path'])
    expect(await calls()).toEqual([
      ['call-started', 'call-finished done'],
      ['call-started', 'call-finished failed'],
    ])
  })

  test('and has the answer and the records that it has with one', async () => {
    const { client, calls, endedBy } = await begin()
    const answered = (params: object) =>
      client.request('tools/call', { ...params }).catch(({ code, message, data }) => ({ code, message, data }))
    const given: [string, object][] = [
      ['echo', { text: 'hello' }],
      ['fails', { text: 'no' }],
      ['echo', { text: 5 }],
      ['echo', {}],
      ['nothing', {}],
      ['forbidden', { text: 'x' }],
    ]
    for (const [tool, args] of given) {
      const params = { name: nameOf(tool), arguments: args, _meta: { 'example.com/trace': 'a' } }
      const before = (await calls()).length
      const fast = await answered(params)
      const between = await calls()
      // The fast path reads narrowly: one key that it does not know, and the SDK server has the call.
      const slow = await answered({ ...params, unknown: 1 })
      const after = await calls()
      expect({ tool, answer: fast }).toEqual({ tool, answer: slow })
      expect({ tool, calls: between.slice(before) }).toEqual({ tool, calls: after.slice(between.length) })
    }
    // Of the six calls four were sent, each by both ways.
    expect(endedBy).toEqual(Array.from({ length: 4 }, () => ['fast path', 'SDK server']).flat())
  })

  test('a denied call is refused, and never reaches the upstream', async () => {
    const { call, calls, runs } = await begin()
    expect(await call('forbidden', { text: 'x' })).toMatchObject({ isError: true, outcome: { status: 'denied' } })
    expect(runs).toEqual([])
    expect(await calls()).toEqual([['call-refused']])
  })

  test('a call that needs a yes is asked about, and runs after it', async () => {
    const { client, call, calls, runs } = await begin()
    client.answers(allowOnce)
    expect(await call('asked', { text: 'go' })).toMatchObject({ isError: false, text: 'go' })
    expect(client.asked).toHaveLength(1)
    expect(runs).toEqual(['asked'])
    expect(await calls()).toEqual([['call-started', 'call-finished done']])
  })

  test('a question of the upstream in mid-call reaches the client, and the call is sent once', async () => {
    const { client, call, calls, runs, endedBy } = await begin()
    client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
    expect(await call('build')).toMatchObject({ isError: false, text: 'built main' })
    expect(client.asked.map(({ message }) => message)).toEqual(['[up] Which?'])
    // An upstream of 2026 is called again with the answer.
    expect(runs).toEqual(up === '2025' ? ['build'] : ['build', 'build'])
    expect(await calls()).toEqual([['call-started', 'call-finished done']])
    expect((await call('echo', { text: 'next' })).text).toBe('next')
    expect(endedBy).toEqual(['SDK server', 'fast path'])
  })

  test('progress reaches the client in order, with the answer after it', async () => {
    const { call, calls } = await begin()
    const seen: number[] = []
    const { text } = await call('steps', {}, { onprogress: ({ progress }) => void seen.push(progress) })
    expect(text).toBe('stepped')
    expect(seen).toEqual([1, 2, 3])
    expect(await calls()).toEqual([['call-started', 'call-finished done']])
  })

  test('a call that its client cancels is stopped at the upstream, and its end is in the audit', async () => {
    const { call, calls, runs, aborted, endedBy } = await begin()
    const cancelling = new AbortController()
    const calling = call('slow', {}, { signal: cancelling.signal }).catch(() => 'cancelled')
    await until(() => runs.length === 1)
    cancelling.abort()
    expect(await calling).toBe('cancelled')
    await until(() => aborted.length === 1)
    await expect.poll(calls).toEqual([['call-started', 'call-finished failed']])
    expect((await call('echo', { text: 'next' })).text).toBe('next')
    expect(endedBy.at(-1)).toBe('fast path')
  })

  test('a call that the SDK server took over can be cancelled as well', async () => {
    const { client, call, calls, runs } = await begin()
    const cancelling = new AbortController()
    client.answers(async (_, signal) => {
      cancelling.abort()
      await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()) ?? resolve())
      return { action: 'cancel' }
    })
    expect(await call('build', {}, { signal: cancelling.signal }).catch(() => 'cancelled')).toBe('cancelled')
    expect(runs).toEqual(['build'])
    // A 2026 client is between two requests when it is asked: its call waits for it, and is over when nobody comes.
    if (revision === '2025-11-25') await expect.poll(calls).toEqual([['call-started', 'call-finished failed']])
  })

  test('a client that disconnects in mid-call leaves a call with an end in the audit', async () => {
    const { client, call, calls, runs, aborted, slow } = await begin()
    const calling = call('slow').catch(() => 'gone')
    await until(() => runs.length === 1)
    await client.close()
    expect(await calling).toBe('gone')
    // A lost connection cancels nothing in a 2025 session over HTTP (H11-07).
    const goesOn = revision === '2025-11-25' && !isPipe
    if (goesOn) slow.keep()
    else await until(() => aborted.length === 1)
    await expect.poll(calls).toEqual([['call-started', `call-finished ${goesOn ? 'done' : 'failed'}`]])
  })
})
