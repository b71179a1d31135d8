import { expect, test } from 'vitest'
import { rawCall } from '../support/asking/asking-raw.ts'
import { askingUpstreams, gated, oldServer } from '../support/gateway/gateways.ts'
import { say, until } from '../support/server/servers.ts'

const upstream = () => askingUpstreams['2025 over HTTP']()
const short = { upstreamAsk: 10_000, park: 2_000 }

test('a call whose client stays away is given up in its time, and a late answer is told so plainly', async () => {
  const { url, gateway } = await gated({ up: await upstream() }, { clocks: short })
  const first = await rawCall(url, { name: 'up__build' })
  expect(gateway.parked).toBe(1)
  await until(() => gateway.parked === 0)
  await until(() => gateway.upstreams()[0]?.state.inFlight === 0)
  const late = await rawCall(url, {
    name: 'up__build',
    requestState: first.result?.requestState,
    inputResponses: { 'asked 1': { action: 'accept', content: { branch: 'main' } } },
  })
  expect(late.result?.isError).toBe(true)
  expect(late.result?._meta?.['assent/outcome']).toEqual({ status: 'failed', reason: 'parked-call-gone' })
  expect(late.result?.content?.[0]?.text).toContain('may have run in part')
})

test('more calls than may wait are not asked, and the upstream hears why', async () => {
  const url = await oldServer((server) => {
    server.registerTool('ask', {}, async () => {
      const requestedSchema = { type: 'object' as const, properties: { a: { type: 'string' as const } } }
      const answer = await server.server.elicitInput({ message: 'A?', requestedSchema }).catch(({ code, data }) => ({
        code,
        data,
      }))
      return say(JSON.stringify(answer))
    })
  })
  const { url: at, gateway } = await gated({ up: { url } }, { limits: { parked: 3 } })
  const replies = await Promise.all(Array.from({ length: 5 }, () => rawCall(at, { name: 'up__ask' })))
  expect(replies.filter(({ result }) => result?.resultType === 'input_required')).toHaveLength(3)
  const refused = replies.flatMap(({ result }) => result?.content?.map(({ text }) => JSON.parse(text)) ?? [])
  expect(refused).toHaveLength(2)
  expect(refused[0]).toMatchObject({ code: -31_001, data: { reason: 'too-many-open' } })
  expect(gateway.parked).toBe(3)
})

test('a client that drops out before anything was asked frees its call', async () => {
  let begun = 0
  let aborted = 0
  const url = await oldServer((server) => {
    server.registerTool('slow', {}, async ({ signal }) => {
      begun += 1
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      aborted += 1
      return say('late')
    })
  })
  const { url: at, gateway } = await gated({ up: { url } })
  const controller = new AbortController()
  const calling = rawCall(at, { name: 'up__slow', signal: controller.signal }).catch(() => 'gone')
  await until(() => begun === 1)
  controller.abort()
  expect(await calling).toBe('gone')
  await until(() => aborted === 1)
  await until(() => gateway.upstreams()[0]?.state.inFlight === 0)
})

test("nobody else's state leads to a parked call", async () => {
  const { url } = await gated({ up: await upstream() }, { withLogin: true })
  const first = await rawCall(url, { name: 'up__build', token: 'alice/desk' })
  const retry = {
    name: 'up__build',
    requestState: first.result?.requestState,
    inputResponses: { 'asked 1': { action: 'accept', content: { branch: 'main' } } },
  }
  for (const token of ['bob/desk', 'alice/phone']) {
    expect((await rawCall(url, { ...retry, token })).error?.code).toBe(-32_602)
  }
  expect((await rawCall(url, { ...retry, token: 'alice/desk' })).result?.content?.[0]?.text).toBe('built main')
})
