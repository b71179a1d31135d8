import { expect, test } from 'vitest'
import { Budget } from '../../src/base/limits/budget.ts'
import { defaults } from '../../src/cli/config/defaults.ts'
import { createParking } from '../../src/gateway/forward/parking.ts'
import { settingsFrom } from '../../src/gateway/options.ts'
import type { UpstreamReply } from '../../src/gateway/upstream/upstream.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { anAssent } from '../support/assents.ts'
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

test('an answer that comes after the server was told that there is none is said to have come too late', async () => {
  const asking = await oldServer((server) => {
    server.registerTool('ask', {}, async () => {
      const requestedSchema = { type: 'object' as const, properties: { a: { type: 'string' as const } } }
      const answer = server.server.elicitInput({ message: 'A?', requestedSchema }, { timeout: 60_000 })
      return say(await answer.then(String, ({ message }) => message))
    })
  })
  const { url, gateway } = await gated({ up: { url: asking } }, { clocks: { upstreamAsk: 200, park: 60_000 } })
  const first = await rawCall(url, { name: 'up__ask' })
  await until(() => gateway.parked === 0)
  const late = await rawCall(url, {
    name: 'up__ask',
    requestState: first.result?.requestState,
    inputResponses: { 'asked 1': { action: 'accept', content: { a: 'yes' } } },
  })
  const texts = late.result?.content?.map(({ text }) => text)
  expect(texts?.[0]).toContain('Nobody answered in time')
  expect(texts?.[1]).toBe(
    'The answer to up came too late: it had already got the error that nobody answered. Make the call again.',
  )
})

test('a server has 10 minutes for its question, and a client 10 minutes to come back with the answer', async () => {
  const { clocks } = settingsFrom({ assent: await anAssent(), servers: {} })
  expect(clocks).toMatchObject({ upstreamAsk: 600_000, park: 600_000 })
  expect(defaults.clocks).toMatchObject({ upstreamAsk: '10m', park: '10m' })
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

const parkingLimits = { most: 10, mostEach: 10, parkMs: 60_000, askMs: 60_000 }
const never = new AbortController().signal

test('a parked call holds the memory of its arguments and of its reply until it ends', async () => {
  const budget = new Budget(10_000, 10_000)
  const lease = budget.lease('requester', 1_000)
  const parking = createParking(parkingLimits, fixedClock())
  const reply: UpstreamReply = { kind: 'result', result: { content: [] }, length: 100 }
  const reserve = (bytes: number) => budget.lease('server', bytes)
  const call = parking.begin({ walkId: 'w', requester: 'r', prefix: '', lease, reserve, send: async () => reply })
  await call.changed(never)
  lease?.release()
  expect(call.reply).toEqual(reply)
  expect(budget.held).toBe(1_000 + 2_200)
  parking.end('w')
  expect(budget.held).toBe(0)
})

test('an attack: replies that wait for clients that never come back do not fill the memory', async () => {
  const budget = new Budget(100_000, 10_000)
  const clock = fixedClock()
  const parking = createParking(parkingLimits, clock)
  const reply: UpstreamReply = { kind: 'result', result: { content: [] }, length: 400 }
  const reserve = (bytes: number) => budget.lease('server', bytes)
  const calls = Array.from({ length: 5 }, (_, n) =>
    parking.begin({ walkId: `w${n}`, requester: 'r', prefix: '', reserve, send: async () => reply }),
  )
  await Promise.all(calls.map((call) => call.changed(never)))
  expect(calls.map((call) => call.reply?.kind)).toEqual(['result', 'lost', 'lost', 'lost', 'lost'])
  expect(calls[1]?.reply).toMatchObject({ reason: 'too-long', sent: true })
  for (const n of calls.keys()) parking.leave(`w${n}`)
  clock.advance(60_001)
  expect(budget.held).toBe(0)
})

test('a parked call whose sending fails has that as its reply, and nothing is left unhandled', async () => {
  const parking = createParking(parkingLimits, fixedClock())
  const send = () => Promise.reject(new Error('planted'))
  const call = parking.begin({ walkId: 'w', requester: 'r', prefix: '', reserve: () => undefined, send })
  await call.changed(never)
  expect(call.reply).toEqual({ kind: 'lost', reason: 'broken', sent: true, detail: 'Error: planted' })
})

test('an attack: calls with large arguments are parked until the memory of their requester is full', async () => {
  const http = { limits: { inFlightBytes: 8_000_000, inFlightBytesPerRequester: 1_000_000 } }
  const { url } = await gated({ up: await upstream() }, { clocks: short, http })
  const large = () => rawCall(url, { name: 'up__build', arguments: { text: 'x'.repeat(400_000) } })
  const first = [await large(), await large()]
  expect(first.map(({ result }) => result?.resultType)).toEqual(['input_required', 'input_required'])
  expect((await large()).error?.message).toContain('Too much is in flight')
  await until(async () => (await large()).result?.resultType === 'input_required')
})
