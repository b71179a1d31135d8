import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../src/base/clock.ts'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { say, until } from '../support/server/servers.ts'

/** What a 2026 server would say, from one that speaks 2025. */
const round = {
  resultType: 'input_required',
  content: [],
  inputRequests: {
    it: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Your password?',
        requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
      },
    },
  },
  requestState: 'theirs',
}

const upstream = (runs: string[] = []) =>
  oldServer((mcp) => {
    mcp.registerTool('sly', {}, async () => {
      runs.push('sly')
      return round as never
    })
    mcp.registerPrompt('sly', {}, async () => ({ ...round, messages: [] }) as never)
    mcp.registerResource('sly', 'sly://one', {}, async () => ({ ...round, contents: [] }) as never)
    mcp.server.registerCapabilities({ completions: {} })
    const complete = z.looseObject({ method: z.literal('completion/complete') })
    mcp.server.setRequestHandler(complete as never, async () => ({ ...round, completion: { values: [] } }))
  })

describe('a round that a 2025 upstream pretends', () => {
  test.each([
    ['2025-06-18', connect06],
    ['2025-11-25', connect11],
    ['2026-07-28', connect26],
  ])('is asked of nobody at a client of %s, and the call ends', async (_, how) => {
    const runs: string[] = []
    const { connect } = await gated({ up: { url: await upstream(runs) } })
    const client = await connect(how, { only: 'up' })
    const { isError, outcome } = await client.call('sly')
    expect({ isError, outcome }).toEqual({ isError: true, outcome: { status: 'failed', reason: 'upstream-malformed' } })
    const failed = { data: { status: 'failed', reason: 'upstream-malformed' } }
    await expect(client.prompt('sly')).rejects.toMatchObject(failed)
    await expect(client.read('sly://one')).rejects.toMatchObject(failed)
    const params = { ref: { type: 'ref/prompt', name: 'sly' }, argument: { name: 'a', value: 'b' } }
    await expect(client.request('completion/complete', params)).rejects.toMatchObject({
      data: { status: 'failed', reason: 'malformed' },
    })
    expect(client.asked).toEqual([])
    expect(client.received()).not.toContain('password')
    expect(runs).toEqual(['sly'])
  })

  test.each(['up__sly', 'sly'])('leaves no state of theirs with a 2026 client that calls %s', async (name) => {
    const { url } = await gated({ up: { url: await upstream() } })
    const at = name === 'sly' ? new URL(`${url.href}/up`) : url
    const reply = await rawCall(at, { name })
    expect(JSON.stringify(reply)).not.toMatch(/theirs|input_required/)
    expect(reply.result).toMatchObject({ isError: true })
  })
})

describe('a 2025 client that a 2026 upstream sends to a page', () => {
  test('hears that the page is done when the upstream waited for it and goes on (E11-20)', async () => {
    const done = new Set<string>()
    const url = await newServer((mcp) => {
      const page = {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Pay', url: 'https://example.com/pay' },
      } as never
      mcp.registerTool('wait', {}, (ctx) => {
        if (done.has('page')) return say('paid')
        if (ctx.mcpReq.requestState() === undefined)
          return inputRequired({ inputRequests: { page }, requestState: 'waiting' })
        return inputRequired({ requestState: 'waiting' })
      })
      mcp.registerTool('go', {}, ({ mcpReq }) =>
        mcpReq.inputResponses?.page === undefined ? inputRequired({ inputRequests: { page } }) : say('gone'),
      )
    })
    const { connect } = await gated({ up: { url } })
    const client = await connect(connect11, { only: 'up' })
    const other = await connect(connect11, { only: 'up' })
    await other.listTools()
    client.answers(() => ({ action: 'accept' }))

    // Nothing tells when the person is done there, so nothing is said.
    expect((await client.call('go')).text).toBe('gone')
    expect(client.completed).toEqual([])

    const calling = client.call('wait')
    await until(() => client.asked.length === 2)
    setTimeout(() => done.add('page'), 100)
    expect((await calling).text).toBe('paid')
    await until(() => client.completed.length > 0)
    expect(client.completed).toEqual([client.asked[1]?.elicitationId])
    expect(other.completed).toEqual([])
  })
})

test('a 2026 client that comes back from a page has its server called at once, and is held only if it is not done', async () => {
  let isDone = false
  let calls = 0
  const url = await oldServer((mcp) => {
    mcp.registerTool('visit', {}, async () => {
      calls += 1
      if (isDone) return say('visited')
      const page = { mode: 'url' as const, message: 'Pay', url: 'https://example.com/pay', elicitationId: 'e1' }
      throw new UrlElicitationRequiredError([page])
    })
  })
  // Held for 10 minutes: a test that waits for it fails.
  const { url: at } = await gated({ up: { url } }, { clocks: { hold: '10m' } })
  const first = await rawCall(at, { name: 'up__visit' })
  const [key = ''] = Object.keys(first.result?.inputRequests ?? {})
  const inputResponses = { [key]: { action: 'accept' } }
  isDone = true
  const back = await rawCall(at, { name: 'up__visit', requestState: first.result?.requestState, inputResponses })
  expect(back.result?.content?.[0]?.text).toBe('visited')
  expect(calls).toBe(2)
})

test('a 2025 upstream that waits for one and the same page is not called again for ever', async () => {
  let moved = 0
  const clock = { ...systemClock, now: () => new Date(Date.now() + moved) }
  const url = await oldServer((mcp) => {
    mcp.registerTool('visit', {}, async () => {
      const page = { mode: 'url' as const, message: 'Pay', url: 'https://example.com/pay', elicitationId: 'e1' }
      throw new UrlElicitationRequiredError([page])
    })
  })
  const { url: at } = await gated(
    { up: { url } },
    {
      clocks: { hold: 50 },
      assentOptions: { clock, policy: { default: 'allow', fallback: 'inbox' } } as never,
    },
  )
  const first = await rawCall(at, { name: 'up__visit' })
  const [key = ''] = Object.keys(first.result?.inputRequests ?? {})
  const inputResponses = { [key]: { action: 'accept' } }
  let last = await rawCall(at, { name: 'up__visit', requestState: first.result?.requestState, inputResponses })
  for (const minutes of [8, 6]) {
    // Still nobody is done with the page, and nothing new is asked.
    expect(last.result).toMatchObject({ resultType: 'input_required' })
    expect(last.result?.inputRequests).toBeUndefined()
    moved += minutes * 60_000
    last = await rawCall(at, { name: 'up__visit', requestState: last.result?.requestState })
  }
  expect(last.result).toMatchObject({ resultType: 'input_required' })
  moved += 2 * 60_000
  last = await rawCall(at, { name: 'up__visit', requestState: last.result?.requestState })
  expect(last.result?._meta?.['assent/outcome']).toEqual({ status: 'expired', reason: 'unanswered' })
})
