import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type OperationParts, operationRoutes } from '../../src/cli/serve/operation-routes.ts'
import type { UpstreamState } from '../../src/gateway/upstream/upstream.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { readPrometheus } from '../observe/prometheus-text.ts'
import { anAssent } from '../support/assents.ts'

interface Got {
  readonly status: number
  readonly text: string
}

async function serving(over: Partial<OperationParts> = {}) {
  const routes = operationRoutes({ assent: await anAssent(), metrics: createMetrics(), metricsOpen: false, ...over })
  const server = createServer((req, res) => {
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
const gateway = { upstreams: () => [{ id: 'github', state: down }] }

test('an upstream that is down is shown, and Assent is ready all the same', async () => {
  const get = await serving({ gateway })
  const { status, text } = await get('/readyz')
  expect(status).toBe(200)
  expect(JSON.parse(text)).toEqual({
    status: 'ready',
    store: 'up',
    upstreams: [{ id: 'github', state: 'down', since: since.toISOString(), restarts: 3, reason: 'the process ended' }],
  })
})

test('what an upstream said is not told to others than this machine', async () => {
  const get = await serving({ gateway })
  const { text } = await get('/readyz', { 'X-Forwarded-For': '203.0.113.9' })
  expect(JSON.parse(text).upstreams).toEqual([{ id: 'github', state: 'down', since: since.toISOString(), restarts: 3 }])
})

test('without its store Assent is alive, and not ready', async () => {
  const assent = await anAssent()
  const elicitations = { ...assent.store.elicitations, get: () => Promise.reject(new Error('down')) }
  const get = await serving({ assent: { store: { ...assent.store, elicitations } as never } })
  expect(await get('/readyz')).toMatchObject({ status: 503 })
  expect(JSON.parse((await get('/readyz')).text)).toEqual({ status: 'not ready', store: 'down', upstreams: [] })
  expect(await get('/healthz')).toMatchObject({ status: 200 })
})

test('a store that never answers is a store that is down', async () => {
  const assent = await anAssent()
  const elicitations = { ...assent.store.elicitations, get: () => new Promise(() => {}) }
  const get = await serving({ assent: { store: { ...assent.store, elicitations } as never } })
  expect(await get('/readyz')).toMatchObject({ status: 503 })
})

test('numbers are for this machine, unless they are opened', async () => {
  const near = await serving()
  const samples = readPrometheus((await near('/metrics')).text)
  expect(samples.some(({ name }) => name === 'process_cpu_seconds_total')).toBe(true)
  for (const headers of [
    { 'X-Forwarded-For': '203.0.113.9' },
    { Forwarded: 'for=203.0.113.9' },
    { Via: '1.1 proxy' },
  ]) {
    expect(await near('/metrics', headers as never)).toMatchObject({ status: 403 })
  }
  const open = await serving({ metricsOpen: true })
  expect(await open('/metrics', { 'X-Forwarded-For': '203.0.113.9' })).toMatchObject({ status: 200 })
})

test('an attack: a page elsewhere points its own name at this machine', async () => {
  const get = await serving({ metricsOpen: true })
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
