import { describe, expect, onTestFinished, test } from 'vitest'
import { createEvents } from '../../src/base/events.ts'
import type { GatewayNews } from '../../src/call/news.ts'
import { patienceFor, withPatience } from '../../src/gateway/catalog/patience.ts'
import { defaultUpstreamLimits } from '../../src/gateway/upstream/options.ts'
import type { Upstream, UpstreamState } from '../../src/gateway/upstream/upstream.ts'
import { fixedClock } from '../../src/testing/fixed-clock.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated } from '../support/gateway/gateways.ts'
import { hearing } from '../support/gateway/hearing.ts'
import { connectByPipe } from '../support/gateway/pipes.ts'
import { until } from '../support/server/servers.ts'
import { opened, programOf } from './upstream/upstreams.ts'

describe('how long a joined list waits, with a clock that stands still', () => {
  const clock = fixedClock()
  const begun = clock.now()
  const gateway = { settings: { clocks: { listFirst: 15_000, listDown: 3_000 }, assent: { clock } } } as never
  const server = (kind: UpstreamState['kind']) =>
    ({ upstream: { state: () => ({ kind, since: begun }) } as unknown as Upstream }) as never

  test('15 s for a server that was never up, 3 s for one that is down', () => {
    expect(patienceFor(gateway, server('untried'))).toBe(15_000)
    expect(patienceFor(gateway, server('starting'))).toBe(15_000)
    expect(patienceFor(gateway, server('up'))).toBe(15_000)
    expect(patienceFor(gateway, server('down'))).toBe(3_000)
  })

  test('a server that needs 8 s is in the first list, one that needs 20 s is not', async () => {
    const listed = (afterMs: number) =>
      withPatience(gateway, server('starting'), new AbortController().signal, (signal) => {
        return new Promise<string>((resolve) => {
          clock.after(afterMs, () => resolve('listed'))
          signal.addEventListener('abort', () => resolve('left out'))
        })
      })
    const both = Promise.all([listed(8_000), listed(20_000)])
    clock.advance(8_000)
    // 8 s have passed since the start, so whoever comes now waits for the rest.
    expect(patienceFor(gateway, server('starting'))).toBe(7_000)
    clock.advance(7_000)
    expect(await both).toEqual(['listed', 'left out'])
    clock.advance(60_000)
    expect(patienceFor(gateway, server('starting'))).toBe(3_000)
  })
})

const clocks = { listFirst: 400, listDown: 100 }

describe('a server that comes late', () => {
  test.each([
    ['2025', {}],
    // What the first server of a session said that it can do, those that take its place can do too.
    ['2025', { serverIdle: '1ms' }],
    ['2026', {}],
  ] as const)('a client of %s gets the list without it, and is told when it is there (%o)', async (era, http) => {
    const news = createEvents<GatewayNews>()
    const told: GatewayNews[] = []
    news.listen((one) => void told.push(one))
    const { url, gateway } = await gated({ late: programOf('slow-start', '4000') }, { clocks, news, http })
    gateway.start()
    const client = await hearing(url, era)
    expect(await client.names()).not.toContain('late__echo')
    expect(told).toContainEqual(expect.objectContaining({ kind: 'server-missing', server: 'late', isStarting: true }))

    await until(
      () => client.heard.includes('tools') && client.heard.includes('prompts') && client.heard.includes('resources'),
    )
    expect(told).toContainEqual({ kind: 'server-found', server: 'late' })
    await until(async () => (await client.names()).includes('late__echo'))
    expect(gateway.upstreams()[0]?.state.kind).toBe('up')
  })

  test('is in the first list if it comes soon enough, and nobody is told anything', async () => {
    const { url, gateway } = await gated(
      { late: programOf('slow-start', '500') },
      { clocks: { listFirst: 60_000, listDown: 100 } },
    )
    gateway.start()
    const client = await hearing(url, '2025')
    expect(await client.names()).toContain('late__echo')
    expect(client.heard).toEqual([])
  })
})

test('servers start with the gateway, but for those that are lazy', async () => {
  const { gateway } = await gated({
    early: programOf('old-stdio'),
    lazy: { ...programOf('old-stdio'), start: 'lazy' } as never,
  })
  expect(gateway.upstreams().map(({ state }) => state.kind)).toEqual(['untried', 'untried'])
  gateway.start()
  await until(() => gateway.upstreams()[0]?.state.kind === 'up')
  expect(gateway.upstreams()[1]?.state.kind).toBe('untried')
})

test('a program that fails says why, in the state and in the news', async () => {
  const news = createEvents<GatewayNews>()
  const told: GatewayNews[] = []
  news.listen((one) => void told.push(one))
  const broken = {
    command: process.execPath,
    args: ['-e', 'process.stderr.write("oops: missing API_KEY");process.exit(1)'],
  }
  const { url, gateway } = await gated({ broken }, { clocks, news })
  gateway.start()
  await until(() => gateway.upstreams()[0]?.state.kind === 'down')
  const why = 'ended with code 1; its last line on standard error: oops: missing API_KEY'
  expect(gateway.upstreams()[0]?.state.reason).toContain(why)
  expect(told).toContainEqual(
    expect.objectContaining({ kind: 'upstream-changed', reason: expect.stringContaining(why) }),
  )
  const client = await connect11({ url })
  onTestFinished(() => client.close())
  expect(await client.listTools()).toMatchObject({ tools: [] })
  expect(told).toContainEqual(
    expect.objectContaining({ kind: 'server-missing', isStarting: false, reason: expect.stringContaining('API_KEY') }),
  )
})

test('a server that never answers is starting, until its handshake has taken too long', async () => {
  const hang = { name: 'hang', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] }
  const upstream = opened(hang, { limits: { ...defaultUpstreamLimits, probe: 50, handshake: 200, shutdown: 100 } })
  const found = upstream.era(
    { requester: { participant: 'local', client: 'x' } as never, capabilities: {} },
    new AbortController().signal,
  )
  await until(() => upstream.state().kind === 'starting')
  expect(await found).toMatchObject({ kind: 'lost', reason: 'down' })
  expect(upstream.state().kind).toBe('down')
})

test('over a pipe, a probe for 2026-07-28 is answered before the server is up', async () => {
  // Whoever waits for the server waits for ever.
  const { gateway } = await gated(
    { late: programOf('slow-start', '600000') },
    { clocks: { listFirst: '1h', listDown: '1h' } },
  )
  const client = await connectByPipe(gateway, connect26, 'late')
  expect(client.asked).toEqual([])
  expect(gateway.upstreams()[0]?.state.kind).toBe('starting')
})
