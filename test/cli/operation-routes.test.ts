import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { addressList } from '../../src/base/request-source.ts'
import { type OperationAccess, type OperationParts, operationRoutes } from '../../src/cli/serve/operation-routes.ts'
import type { UpstreamState } from '../../src/gateway/upstream/upstream.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { openMemoryStore } from '../../src/stores/memory/open.ts'
import { anAssent } from '../support/assents.ts'
import { readPrometheus } from '../support/cli/prometheus-text.ts'

interface Got {
  readonly status: number
  readonly text: string
}

/** `from` is the address that requests seem to come from; without it, they come from this machine. */
async function serving(
  over: Partial<OperationParts> = {},
  { from, ...access }: Partial<OperationAccess> & { from?: string } = {},
) {
  const parts = { assent: await anAssent(), metrics: createMetrics(), ...over }
  const routes = operationRoutes(parts, { anyHost: false, metrics: addressList([]), ...access })
  const server = createServer((req, res) => {
    if (from !== undefined) Object.defineProperty(req.socket, 'remoteAddress', { value: from, configurable: true })
    if (!routes(req, res)) res.writeHead(404).end('not ours')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Got>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers }, (res) => {
        let text = ''
        res.on('data', (chunk) => {
          text += chunk
        })
        res.on('end', () => resolve({ status: res.statusCode ?? 0, text }))
      })
      sent.on('error', reject).end()
    })
}

const since = new Date('2026-01-01T00:00:00.000Z')
const down: UpstreamState = {
  kind: 'down',
  since,
  reason: 'the process ended',
  restarts: 3,
  open: 0,
  inFlight: 0,
  stderr: ['a line of its own'],
  dropped: 0,
}
const gateway = { upstreams: () => [{ id: 'github', state: down, leftOut: [] }] }

test('an upstream that is down is shown, and Assent is ready all the same', async () => {
  const get = await serving({ gateway })
  const { status, text } = await get('/readyz')
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    status: 'ready',
    store: 'up',
    instances: [],
    upstreams: [
      {
        id: 'github',
        state: 'down',
        since: since.toISOString(),
        restarts: 3,
        reason: 'the process ended',
        lastLine: 'a line of its own',
      },
    ],
  })
})

test('what an upstream said is not told to others than this machine', async () => {
  const get = await serving({ gateway })
  const { text } = await get('/readyz', { 'X-Forwarded-For': '203.0.113.9' })
  expect(JSON.parse(text).upstreams).toEqual([{ id: 'github', state: 'down', since: since.toISOString(), restarts: 3 }])
})

test('tools that are left out are shown by name, to this machine only', async () => {
  const leftOut = [{ list: 'tools', name: 'deep', reason: 'it is nested deeper than 128 levels' }] as const
  const get = await serving({ gateway: { upstreams: () => [{ id: 'github', state: down, leftOut }] } })
  expect(JSON.parse((await get('/readyz')).text).upstreams).toMatchObject([{ id: 'github', leftOut }])
  const far = await get('/readyz', { 'X-Forwarded-For': '203.0.113.9' })
  expect(JSON.parse(far.text).upstreams).toMatchObject([{ id: 'github', leftOut: 1 }])
  expect(far.text).not.toContain('deep')
})

test('without its store Assent is alive, and not ready', async () => {
  const assent = await anAssent()
  const elicitations = { ...assent.store.elicitations, get: () => Promise.reject(new Error('down')) }
  const get = await serving({ assent: { ...assent, store: { ...assent.store, elicitations } } })
  expect(await get('/readyz')).toMatchObject({ status: 503 })
  expect(JSON.parse((await get('/readyz')).text)).toEqual({
    status: 'not ready',
    store: 'down',
    problems: [expect.stringContaining('cannot be reached')],
    upstreams: [],
  })
  expect(await get('/healthz')).toMatchObject({ status: 200 })
})

test('a store that never answers is a store that is down', async () => {
  const assent = await anAssent()
  const elicitations = { ...assent.store.elicitations, get: () => new Promise<never>(() => {}) }
  const get = await serving({ assent: { ...assent, store: { ...assent.store, elicitations } } })
  expect(await get('/readyz')).toMatchObject({ status: 503 })
})

test('attack: a store that can be read and not written keeps its instance in the balancer; it is not ready, and recovers', async () => {
  const assent = await anAssent()
  let [isFull, tries] = [true, 0]
  const claim: typeof assent.store.steps.claim = (...args) => {
    tries += 1
    return isFull ? Promise.reject(new Error('disk full')) : assent.store.steps.claim(...args)
  }
  const get = await serving({
    assent: { ...assent, store: { ...assent.store, steps: { ...assent.store.steps, claim } } },
  })
  // However many ask at once, the store is tried once.
  for (const { status, text } of await Promise.all(Array.from({ length: 20 }, () => get('/readyz')))) {
    expect(status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({ store: 'not writable', problems: [expect.stringContaining('full')] })
  }
  expect(tries).toBe(1)
  expect(await get('/healthz')).toMatchObject({ status: 200 })
  isFull = false
  await expect.poll(async () => (await get('/readyz')).status).toBe(200)
  isFull = true
  await expect.poll(async () => (await get('/readyz')).status).toBe(503)
})

test('a machine whose clock is too far from the store’s is not ready, and says in words what to do', async () => {
  const store = openMemoryStore()
  let aheadMs = 10_000
  const clock = { ...store.clock, machineAheadMs: () => aheadMs }
  const get = await serving({ assent: await anAssent({ store: { ...store, clock } }) })
  expect(await get('/readyz')).toMatchObject({ status: 200 })
  for (const [ms, words] of [
    [10_001, '10 s ahead of'],
    [-600_000, '600 s behind'],
  ] as const) {
    aheadMs = ms
    const { status, text } = await get('/readyz')
    expect(status).toBe(503)
    expect(JSON.parse(text)).toEqual({
      status: 'not ready',
      store: 'up',
      instances: [],
      problems: [
        `The clock of this machine is ${words} the clock of the store. Set the one that is wrong, and keep both right with NTP.`,
      ],
      upstreams: [],
    })
  }
  aheadMs = 0
  expect(await get('/readyz')).toMatchObject({ status: 200 })
})

test('how far a clock may be off is a setting', async () => {
  const store = openMemoryStore()
  const clock = { ...store.clock, machineAheadMs: () => 90_000 }
  const assent = await anAssent({ store: { ...store, clock }, clocks: { skew: '2m' } })
  expect(await (await serving({ assent }))('/readyz')).toMatchObject({ status: 200 })
})

const forwarded = [
  { 'X-Forwarded-For': '203.0.113.9' },
  { Forwarded: 'for=203.0.113.9' },
  { Via: '1.1 proxy' },
  { 'X-Real-IP': '203.0.113.9' },
] as Record<string, string>[]

test('metrics are for this machine, and the refusal names the settings that open them', async () => {
  const near = await serving()
  const samples = readPrometheus((await near('/metrics')).text)
  expect(samples.some(({ name }) => name === 'process_cpu_seconds_total')).toBe(true)
  for (const headers of forwarded) expect(await near('/metrics', headers)).toMatchObject({ status: 403 })

  const far = await serving({}, { anyHost: true, from: '10.1.2.3' })
  const { status, text } = await far('/metrics')
  expect(status).toBe(403)
  expect(JSON.parse(text).error).toMatch(/metrics\.allow.*metrics\.listen/)
})

test.each([
  ['10.1.2.3', 200],
  ['::ffff:10.255.0.1', 200],
  ['192.0.2.7', 200],
  ['2001:db8::5', 200],
  ['fe80::1%eth0', 200],
  ['11.0.0.1', 403],
  ['192.0.2.8', 403],
  ['2001:db9::5', 403],
  ['', 403],
])('with addresses and ranges allowed, %s gets %d', async (from, status) => {
  const metrics = addressList(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', 'fe80::1'])
  const get = await serving({}, { anyHost: true, metrics, from })
  expect(await get('/metrics')).toMatchObject({ status })
})

test('an attack: a proxy on an allowed address passes on what a stranger asks', async () => {
  const get = await serving({}, { anyHost: true, metrics: addressList(['10.0.0.0/8']), from: '10.0.0.1' })
  for (const headers of forwarded) expect(await get('/metrics', headers)).toMatchObject({ status: 403 })
})

test('metrics that are for everyone are passed on by a proxy too', async () => {
  const get = await serving({}, { metrics: 'everyone' })
  expect(await get('/metrics', { 'X-Forwarded-For': '203.0.113.9' })).toMatchObject({ status: 200 })
})

test('an attack: a page elsewhere points its own name at this machine', async () => {
  const get = await serving({}, { metrics: 'everyone' })
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect(await get(path, { Host: 'evil.example.com' })).toMatchObject({ status: 403 })
  }
})

test('only GET and HEAD are served, and other paths are left to others', async () => {
  const get = await serving()
  expect(await get('/healthz', {}, 'POST')).toMatchObject({ status: 405 })
  expect(await get('/healthz?x=1', {}, 'HEAD')).toEqual({ status: 200, text: '' })
  expect(await get('/healthzz')).toEqual({ status: 404, text: 'not ours' })
})
