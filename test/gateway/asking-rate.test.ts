import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/cli/config/read.ts'
import { gatewayFrom } from '../../src/cli/serve/gateway-from-config.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { keepConnections } from '../support/server/keep-connections.ts'
import { say } from '../support/server/servers.ts'

const requestedSchema = {
  type: 'object' as const,
  properties: { branch: { type: 'string' as const } },
  required: ['branch'],
}
const answer = () => ({ action: 'accept' as const, content: { branch: 'main' } })

/** Each asks one question a call, and says what came of it. */
const upstreams = {
  '2025': () =>
    oldServer((mcp) => {
      mcp.registerTool('ask', {}, async () => {
        const given = await mcp.server
          .elicitInput({ message: 'Which?', requestedSchema })
          .catch(({ code, data }) => ({ code, reason: data?.reason }))
        return say(JSON.stringify(given))
      })
    }),
  '2026': () =>
    newServer((mcp) => {
      mcp.registerTool('ask', {}, ({ mcpReq }) => {
        if (mcpReq.inputResponses?.it !== undefined) return say(JSON.stringify(mcpReq.inputResponses.it))
        const params = { mode: 'form', message: 'Which?', requestedSchema }
        return inputRequired({ inputRequests: { it: { method: 'elicitation/create', params } as never } })
      })
    }),
}

describe.each(Object.entries(upstreams))('an upstream of %s', (era, start) => {
  test.each([
    ['2025', connect11],
    ['2026', connect26],
  ])('may ask a client of %s so often in a minute, and is told where that ends', async (_, how) => {
    let moved = 0
    const clock = { ...systemClock, now: () => new Date(Date.now() + moved) }
    const { assent, connect } = await gated(
      { up: { url: await start() }, other: { url: await start() } },
      {
        withLogin: true,
        limits: { asksPerMinute: 2 },
        assentOptions: { clock, policy: { default: 'allow', fallback: 'inbox' } } as never,
      },
    )
    const metrics = createMetrics({ servers: ['up', 'other'] })
    metrics.listenToAsks(assent.events)
    const client = await connect(how, { token: 'alice/desk' })
    client.answers(answer)
    const answered = JSON.stringify(answer())
    const call = async (name: string) => {
      const { text, isError, outcome } = await client.call(name)
      return isError ? outcome : JSON.parse(text)
    }

    expect(await call('up__ask')).toEqual(JSON.parse(answered))
    expect(await call('up__ask')).toEqual(JSON.parse(answered))
    expect(await call('up__ask')).toEqual(
      era === '2025' ? { code: -31_001, reason: 'too-many-asks' } : { status: 'failed', reason: 'too-many-asks' },
    )
    expect(client.asked).toHaveLength(2)
    expect(await metrics.text()).toMatch(/assent_fallbacks_total\{reason="too-many-asks"\} 1\n/)

    // Other servers and other people have their own count.
    expect(await call('other__ask')).toEqual(JSON.parse(answered))
    const bob = await connect(how, { token: 'bob/desk' })
    bob.answers(answer)
    expect((await bob.call('up__ask')).text).toBe(answered)

    moved = 61_000
    expect(await call('up__ask')).toEqual(JSON.parse(answered))
  })
})

test.each([
  ['2025', connect11],
  ['2026', connect26],
])('pages that a 2025 upstream wants visited first count as questions, for a client of %s', async (_, how) => {
  let calls = 0
  const url = await oldServer((mcp) => {
    mcp.registerTool('visit', {}, async () => {
      calls += 1
      if (calls === 2) return say('visited')
      const page = { mode: 'url' as const, message: 'Pay', url: `https://example.com/${calls}`, elicitationId: 'e1' }
      setTimeout(
        () =>
          void mcp.server
            .createElicitationCompletionNotifier('e1')()
            .catch(() => {}),
        20,
      )
      throw new UrlElicitationRequiredError([page])
    })
  })
  const { connect } = await gated({ up: { url } }, { limits: { asksPerMinute: 1 } })
  const client = await connect(how, { only: 'up' })
  client.answers(() => ({ action: 'accept' }))
  if (how === connect11) await expect(client.call('visit')).rejects.toMatchObject({ code: -32_042 })
  expect((await client.call('visit')).text).toBe('visited')
  expect((await client.call('visit')).outcome).toEqual({ status: 'failed', reason: 'too-many-asks' })
})

test('limits.asksPerMinute of assent.yaml is what holds', async () => {
  const config = await readConfig({}, {})
  expect(config.limits.asksPerMinute).toBe(60)
  const { pathname, origin } = await upstreams['2025']()
  const server = {
    id: 'up',
    name: 'up',
    trusted: false,
    kind: 'http',
    url: `${origin}${pathname}`,
    headers: {},
  } as const
  const limits = { ...config.limits, asksPerMinute: 1 }
  const assent = await anAssent({ policy: { default: 'allow', fallback: 'inbox' } as never })
  const gateway = await gatewayFrom(assent, { ...config, limits, servers: new Map([['up', server]]) }, () => {})
  const listener = createServer(keepConnections, (request, response) => void gateway.handle(request, response))
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    await gateway.close()
    listener.close().closeAllConnections()
  })
  const client = await connect11({ url: new URL(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`) })
  onTestFinished(() => client.close())
  client.answers(answer)
  expect(JSON.parse((await client.call('up__ask')).text)).toEqual(answer())
  expect(JSON.parse((await client.call('up__ask')).text)).toEqual({ code: -31_001, reason: 'too-many-asks' })
})
