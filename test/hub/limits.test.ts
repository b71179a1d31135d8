import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AssentOptions } from '../../src/assent-options.ts'
import { readConfig } from '../../src/cli/config/read.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { readPrometheus } from '../support/cli/prometheus-text.ts'
import { envelope, type Heard, request, startHub } from '../support/hub/hub.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** A hub with the limits and clocks of a file. */
async function hubWith(hub: object, assent: AssentOptions = {}) {
  const file = join(await temporaryFolder(), 'assent.json')
  const agent = (id: string) => ({ kind: 'agent', token: id, may: ['*'], asks: 'itself' })
  const participants = Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, agent(id)]))
  await writeFile(file, JSON.stringify({ version: 1, hub: { spaces: { ops: { participants } }, ...hub } }))
  const { hub: read } = await readConfig({ config: file }, {})
  const { limits, times, spaces } = read
  return startHub({ participants: spaces.ops?.participants as never, limits, times, assent })
}

const isError = (code: string) => (heard: Heard) => heard.payload?.code === code
const note = (from: string, to: string[], params: object = {}) =>
  envelope(from, to, { jsonrpc: '2.0', method: 'notifications/note', params })

test('envelopeBytes: a larger one is refused with both numbers', async () => {
  const a = await (await hubWith({ limits: { envelopeBytes: 500 } })).raw('a')
  a.send(note('a', ['b'], { text: 'x'.repeat(500) }))
  expect((await a.hears(isError('too-large'))).payload.message).toMatch(/at most 500 bytes, and this one has \d+/)
})

test('envelopesPerSecond and burst: what is sent beyond is not taken, and told', async () => {
  const { raw } = await hubWith({ limits: { envelopesPerSecond: 1, burst: 3 } })
  const [a, b] = [await raw('a'), await raw('b')]
  for (let n = 0; n < 4; n += 1) a.send(note('a', ['b'], { n }))
  expect((await a.hears(isError('too-many'))).payload.message).toContain('1 envelopes a second')
  b.send(note('b', ['a']))
  await a.hears((heard) => heard.from === 'b')
  expect(b.heard.filter((heard) => heard.payload?.method === 'notifications/note')).toHaveLength(3)
})

test('burst: joining again gives no new one', async () => {
  const { raw } = await hubWith({ limits: { envelopesPerSecond: 1, burst: 60 } })
  const before = await raw('a')
  for (let n = 0; n < 60; n += 1) before.send(note('a', ['b'], { n }))
  before.socket.close()
  await before.closed
  const again = await raw('a')
  for (let n = 0; n < 40; n += 1) again.send(note('a', ['b'], { n }))
  await again.hears(isError('too-many'))
})

test('unreadBytes: who does not read is disconnected with words', async () => {
  const { raw } = await hubWith({ limits: { unreadBytes: 1 } })
  const [a, b] = [await raw('a'), await raw('b')]
  ;(b.socket as unknown as { _socket: { pause(): void } })._socket.pause()
  const left = a.hears((heard) => heard.payload?.event === 'leave')
  let isGone = false
  const gone = left.then(() => (isGone = true))
  while (!isGone) {
    a.send(note('a', ['b'], { big: 'x'.repeat(100_000) }))
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, 25))])
  }
  expect((await left).payload.reason).toContain('You do not read')
})

test('openRequests: one more without an answer is refused, and an answer makes room', async () => {
  const { raw } = await hubWith({ limits: { openRequests: 2 } })
  const [a, b] = [await raw('a'), await raw('b')]
  for (const id of [1, 2, 3]) a.send(envelope('a', ['b'], request(id, 'ping')))
  expect((await a.hears(isError('too-many'))).payload.message).toBe('You may have 2 requests without an answer.')
  await b.hears((heard) => heard.payload?.id === 2)
  b.send(envelope('b', ['a'], { jsonrpc: '2.0', id: 1, result: {} }))
  await a.hears((heard) => heard.payload?.id === 1)
  a.send(envelope('a', ['b'], request(4, 'ping')))
  await b.hears((heard) => heard.payload?.id === 4)
  expect(b.heard.some((heard) => heard.payload?.id === 3)).toBe(false)
})

test('connections: one more is told to come later', async () => {
  const { raw } = await hubWith({ limits: { connections: 2 } })
  await Promise.all([raw('a'), raw('b')])
  expect(await (await raw('c')).closed).toEqual({
    code: 1013,
    words: 'This hub takes 2 connections. Try again later.',
  })
})

test('chain: a call that comes through more agents is refused', async () => {
  const { raw } = await hubWith({ limits: { chain: 2 } })
  const [a, b, c, d] = [await raw('a'), await raw('b'), await raw('c'), await raw('d')]
  a.send(envelope('a', ['b'], request(1, 'tools/call', { name: 'x' })))
  await b.hears((heard) => heard.payload?.id === 1)
  b.send(envelope('b', ['c'], request(2, 'tools/call', { name: 'x' })))
  const passed = await c.hears((heard) => heard.payload?.id === 2)
  expect(passed.assent).toEqual({ agents: ['a'], root: 'a' })
  c.send(envelope('c', ['d'], request(3, 'tools/call', { name: 'x' })))
  expect((await c.hears(isError('bad-request'))).payload).toMatchObject({
    message: 'A call comes through at most 2 agents.',
    data: { reason: 'chain-too-long' },
  })
  expect(d.heard.some((heard) => heard.payload?.method === 'tools/call')).toBe(false)
})

test('historyPage: a page has no more, and says where the next one begins', async () => {
  const { raw, url } = await hubWith({ limits: { historyPage: 2 } })
  const a = await raw('a')
  const sent = [1, 2, 3].map((n) => note('a', ['b'], { n }))
  for (const one of sent) a.send(one)
  const read = async (query: string) => {
    const reply = await fetch(`${url.replace('ws:', 'http:')}/history${query}`, {
      headers: { Authorization: 'Bearer a' },
    })
    return (await reply.json()) as { history: object[]; before?: number }
  }
  await expect.poll(async () => (await read('?limit=1')).history).toEqual([sent[2]])
  const { history, before } = await read('?limit=50')
  expect(history).toEqual([sent[2], sent[1]])
  expect(await read(`?before=${before}`)).toMatchObject({ history: [sent[0]] })
})

test('clocks.ticket: a ticket lets in until its time is over', async () => {
  const clock = fixedClock()
  const { raw, hub } = await hubWith({ clocks: { ticket: '5s' } }, { clock })
  const queryOf = async () => `?ticket=${encodeURIComponent(String(await hub.ticket('ops', 'a')))}`
  const [early, late] = [await queryOf(), await queryOf()]
  clock.advance(4_999)
  await (await raw('nobody', { query: early })).hears((heard) => heard.payload?.event === 'welcome')
  clock.advance(1)
  expect(await (await raw('nobody', { query: late })).closed).toEqual({
    code: 1008,
    words: 'This ticket was used, is over, or was never made.',
  })
})

test('clocks.answer: a request that nobody answers ends in time, and so does a late answer', async () => {
  const { raw } = await hubWith({ clocks: { answer: '1s' } })
  const [a, b] = [await raw('a'), await raw('b')]
  a.send(envelope('a', ['b'], request(1, 'ping')))
  const end = await a.hears((heard) => heard.payload?.id === 1)
  expect(end.payload.error.message).toBe('b did not answer in time.')
  b.send(envelope('b', ['a'], { jsonrpc: '2.0', id: 1, result: {} }))
  await b.hears(isError('not-pending'))
})

test('/metrics counts participants, envelopes, refusals by reason and open requests of each space', async () => {
  const { raw, hub } = await hubWith({})
  const metrics = createMetrics({ hub })
  const [a, b] = [await raw('a'), await raw('b')]
  a.send(note('a', ['b']))
  a.send(envelope('a', ['b'], request(1, 'ping')))
  a.send(note('b', ['a']))
  await a.hears(isError('forged-from'))
  await (await raw('nobody', { token: 'wrong' })).closed
  await b.hears((heard) => heard.payload?.id === 1)
  const samples = readPrometheus(await metrics.text()).filter(({ name }) => name.startsWith('assent_hub_'))
  expect(samples.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['assent_hub_participants', { space: 'ops' }, 2],
    ['assent_hub_requests_open', { space: 'ops' }, 1],
    ['assent_hub_requests_waiting', { space: 'ops' }, 0],
    ['assent_hub_envelopes_delivered_total', { space: 'ops' }, 2],
    ['assent_hub_refused_total', { space: 'ops', reason: 'forged-from' }, 1],
    ['assent_hub_refused_total', { space: 'ops', reason: 'bad-token' }, 1],
  ])
})
