import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { createItemQueue } from '../../src/telemetry/item-queue.ts'
import { readTraceContext, writeTraceContext } from '../../src/telemetry/trace-context.ts'
import { connect26 } from '../support/asking/asking-clients.ts'
import { buildPackage } from '../support/build.ts'
import { ended, startAssent } from '../support/cli/cli.ts'
import { readPrometheus } from '../support/cli/prometheus-text.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { factsOf, startCollector } from '../support/telemetry/collector.ts'
import { temporaryFolder } from '../support/temporary.ts'

beforeAll(buildPackage, 300_000)

const secret = 'an-argument-that-is-kept-in-the-audit'

test('assent gateway sends its traces, its metrics and its audit as the settings say', async () => {
  const collector = await startCollector()
  const upstream = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('here') : undefined), [
    { name: 'read' },
  ])
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  await writeFile(
    file,
    `version: 1
listen: 127.0.0.1:0
store: "memory:"
servers: { files: { url: "${upstream.url.href}" } }
policy: { default: allow, rules: [{ tool: read, decide: allow, keepArguments: true }] }
telemetry:
  endpoint: ${collector.url}/
  headers: { x-key: "\${env:COLLECTOR_KEY}" }
  serviceName: approvals
`,
  )
  const env = { COLLECTOR_KEY: 'the key of the collector' }
  const { child, said } = await startAssent(['--config', file], /Ctrl-C/, { env, cwd: folder })
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said()) ?? []
  const client = await connect26({ url: new URL('/mcp/files', origin) })
  for (let n = 0; n < 3; n += 1) expect((await client.call('read', { path: secret })).text).toContain('here')
  await client.close()
  const counted = readPrometheus(await (await fetch(new URL('/metrics', origin))).text())
  expect(await ended(child, 'SIGTERM')).toBe(0)

  expect(collector.spans().filter(({ kind }) => kind === 2)).toHaveLength(3)
  expect(collector.resource()).toMatchObject({ 'service.name': 'approvals' })
  expect(collector.received.every(({ headers }) => headers['x-key'] === 'the key of the collector')).toBe(true)

  const metrics = new Map(collector.metrics().map((one) => [one.name, one]))
  const [calls] = metrics.get('assent_calls_total')?.sum?.dataPoints ?? []
  expect(calls).toMatchObject({ asDouble: 3 })
  expect(factsOf(calls?.attributes ?? [])).toEqual({ server: 'files', outcome: 'done' })
  const [seconds] = metrics.get('assent_call_seconds')?.histogram?.dataPoints ?? []
  const { bucketCounts, explicitBounds, count } = seconds as never as Record<string, unknown[]>
  expect(count).toBe('3')
  expect(explicitBounds).toEqual([0.005, 0.02, 0.1, 0.5, 1, 5, 30, 120, 600])
  expect((bucketCounts ?? []).map(Number).reduce((sum, one) => sum + one, 0)).toBe(3)
  expect(bucketCounts).toHaveLength(10)
  const names = new Set(counted.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
  expect([...names].filter((name) => !metrics.has(name))).toEqual([])

  const kinds = collector.logs().map(({ body }) => body.stringValue)
  expect(kinds.filter((kind) => kind === 'call-started')).toHaveLength(3)
  expect(kinds.filter((kind) => kind === 'call-finished')).toHaveLength(3)
  expect(kinds.at(-1)).toBe('chain-closed')
  const seqs = collector.logs().map(({ facts }) => facts['assent.audit.seq'])
  expect(seqs).toEqual(seqs.map((_, at) => at + 1))
  expect(collector.logs().find(({ body }) => body.stringValue === 'call-started')?.facts).toMatchObject({
    'assent.server': 'files',
    'assent.tool': 'read',
  })
  const walks = (from: readonly { facts: Readonly<Record<string, unknown>> }[]) =>
    new Set(from.map(({ facts }) => facts['assent.audit.about']))
  const started = collector.logs().filter(({ body }) => body.stringValue === 'call-started')
  expect(walks(collector.spans().filter(({ name }) => name === 'decide'))).toEqual(walks(started))
  expect(collector.bytes()).not.toContain(secret)
  expect(said()).not.toContain('telemetry is lost')
})

test('a collector that is not there is told in the log, and is in nobody’s way', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'assent.yaml')
  const upstream = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('here') : undefined), [
    { name: 'read' },
  ])
  await writeFile(
    file,
    `version: 1
listen: 127.0.0.1:0
store: "memory:"
servers: { files: { url: "${upstream.url.href}" } }
policy: { default: allow }
telemetry: { endpoint: "http://127.0.0.1:1", send: [traces] }
`,
  )
  const { child, said } = await startAssent(['--config', file], /Ctrl-C/, { cwd: folder })
  const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(said()) ?? []
  const client = await connect26({ url: new URL('/mcp/files', origin) })
  expect((await client.call('read')).text).toContain('here')
  await client.close()
  expect(await ended(child, 'SIGTERM')).toBe(0)
  expect(said()).toContain('telemetry is lost')
})

test('what a collector refuses for now is sent again, once', async () => {
  const collector = await startCollector([503])
  const lost: unknown[] = []
  const queue = createItemQueue<number>({
    url: `${collector.url}/v1/traces`,
    headers: {},
    most: 10,
    body: (items) => ({ items }),
    onError: (error) => lost.push(error),
  })
  queue.add([1, 2, 3])
  await vi.waitUntil(() => collector.received.length === 1, { timeout: 60_000 })
  await queue.close()
  expect(collector.received.map(({ bytes }) => bytes)).toEqual(['{"items":[1,2,3]}'])
  expect(lost).toEqual([])
})

test('of more than may wait, the oldest are dropped, and how many is told', async () => {
  const collector = await startCollector()
  const lost: unknown[] = []
  const queue = createItemQueue<number>({
    url: `${collector.url}/v1/traces`,
    headers: {},
    most: 3,
    body: (items) => ({ items }),
    onError: (error) => lost.push(error),
  })
  queue.add([1, 2])
  queue.add([3, 4, 5])
  await queue.close()
  queue.add([6])
  expect(collector.received.map(({ bytes }) => bytes)).toEqual(['{"items":[3,4,5]}'])
  expect(lost.map(String)).toEqual([expect.stringMatching(/did not take 2 items/)])
})

test('what a collector refuses for good is lost at once, and told', async () => {
  const collector = await startCollector([400])
  const lost: unknown[] = []
  const url = `${collector.url}/v1/logs`
  const onError = (error: unknown) => void lost.push(error)
  const queue = createItemQueue<number>({ url, headers: {}, most: 3, body: (items) => ({ items }), onError })
  queue.add([1])
  await queue.close()
  expect(collector.received).toEqual([])
  expect(lost.map(String)).toEqual([expect.stringMatching(/did not take 1 items/)])
})

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'

test.each([
  [`00-${traceId}-${spanId}-01`, undefined, { traceId, spanId, isSampled: true }],
  [`00-${traceId}-${spanId}-00`, undefined, { traceId, spanId, isSampled: false }],
  [`00-${traceId}-${spanId}-01`, 'a=1,b=2', { traceId, spanId, isSampled: true, state: 'a=1,b=2' }],
  [`00-${traceId}-${spanId}-01`, 'x'.repeat(513), { traceId, spanId, isSampled: true }],
  [`00-${traceId}-${spanId}-01`, 'a=1\r\nset-cookie: x', { traceId, spanId, isSampled: true }],
  [`01-${traceId}-${spanId}-01-more`, undefined, { traceId, spanId, isSampled: true }],
  [`00-${traceId}-${spanId}-01-more`, undefined, undefined],
  [`ff-${traceId}-${spanId}-01`, undefined, undefined],
  [`00-${traceId.toUpperCase()}-${spanId}-01`, undefined, undefined],
  [`00-${'0'.repeat(32)}-${spanId}-01`, undefined, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined, undefined],
  ['', undefined, undefined],
  [[`00-${traceId}-${spanId}-01`], undefined, undefined],
])('the trace context %s with state %s is read as the specification says', (parent, state, read) => {
  expect(readTraceContext(parent, state)).toEqual(read)
  if (read !== undefined) expect(writeTraceContext(read).traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/)
})
