import { expect, onTestFinished, test, vi } from 'vitest'
import type { AssentOptions } from '../../src/index.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { type Connect, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { type Gated, gated, type Upstreams } from '../support/gateway/gateways.ts'
import { done, formOf, type PlainUpstream, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/telemetry/collector.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const clientSpan = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${clientSpan}-01`
const secret = 'sk-argument-that-nobody-else-sees'

interface Traced extends Gated {
  /** Sends what has ended. */
  flush(): Promise<void>
}

async function traced(
  collector: Collector,
  upstreams: Upstreams,
  {
    sample = 1,
    serviceName = 'assent',
    ...assentOptions
  }: AssentOptions & { sample?: number; serviceName?: string } = {},
): Promise<Traced> {
  const telemetry = createTelemetry({
    endpoints: { traces: `${collector.url}/v1/traces` },
    headers: { authorization: 'Bearer of-the-collector' },
    serviceName,
    serviceVersion: '1.2.3',
    instance: 'one',
    sample,
    everyMs: 60_000,
    queue: 1_000,
    onError: (error) => expect.unreachable(String(error)),
  })
  const { tracing } = telemetry
  if (tracing === undefined) throw new Error('Traces are on')
  const made = await gated(upstreams, { tracing, assentOptions })
  telemetry.listenToAsks(made.assent.events)
  onTestFinished(() => telemetry.close())
  return { ...made, flush: () => telemetry.close() }
}

const upstreamOf = (era: '2025' | '2026'): Promise<PlainUpstream> =>
  plainUpstream(era, ({ method }) => (method === 'tools/call' ? done('here') : undefined), [{ name: 'read' }])

const byId = (spans: readonly CollectedSpan[], id: string | undefined) => spans.find(({ spanId }) => spanId === id)
const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name)

const call = (meta: object | undefined) => ({
  name: 'read',
  arguments: { token: secret },
  ...(meta && { _meta: meta }),
})

const clients: [string, Connect, '2025' | '2026'][] = [
  ['a 2026 client and a 2026 upstream', connect26, '2026'],
  ['a 2026 client and a 2025 upstream', connect26, '2025'],
  ['a 2025 client and a 2025 upstream', connect11, '2025'],
  ['a 2025 client and a 2026 upstream', connect11, '2026'],
]

test.each(clients)('one trace from %s across two gateways in a row', async (_, connect, era) => {
  const collector = await startCollector()
  const upstream = await upstreamOf(era)
  const inner = await traced(collector, { files: upstream }, { serviceName: 'inner' })
  const outer = await traced(
    collector,
    { inner: { url: new URL(`${inner.url.href}/files`) } },
    { serviceName: 'outer' },
  )
  const client = await connect({ url: new URL(`${outer.url.href}/inner`) })
  onTestFinished(() => client.close())

  // The first call of a 2025 session goes through the SDK server, the later ones take the fast path.
  for (const trace of ['1', '2'].map((digit) => digit.repeat(32))) {
    const begun = `00-${trace}-${clientSpan}-01`
    await client.request('tools/call', call({ traceparent: begun, tracestate: 'vendor=1', other: 'kept' }))
    const served = (all: readonly CollectedSpan[]) => all.filter((span) => span.kind === 2 && span.traceId === trace)
    await vi.waitUntil(() => served(collector.spans()).length === 2, { timeout: 30_000 })
    const spans = collector.spans().filter((span) => span.traceId === trace)
    expect(spans.every((span) => BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano))).toBe(true)

    // From the last back to the client.
    const [heard] = upstream.of('tools/call').slice(-1)
    const [, , last = ''] = String(heard?.headers.traceparent).split('-')
    expect(heard?.params._meta).toMatchObject({
      traceparent: heard?.headers.traceparent,
      tracestate: 'vendor=1',
      other: 'kept',
    })
    expect(heard?.headers.tracestate).toBe('vendor=1')
    const all = collector.spans()
    const names: string[] = []
    let at = byId(all, last)
    let parent = at?.parentSpanId
    while (at !== undefined) {
      names.push(at.name)
      parent = at.parentSpanId
      at = byId(all, parent)
    }
    expect(names).toEqual(['tools/call files', 'tools/call files', 'tools/call inner', 'tools/call inner'])
    expect(parent).toBe(clientSpan)
    expect(named(spans, 'decide').map(({ facts }) => facts['assent.decided'])).toEqual(['begun', 'begun'])
    expect(spans.filter(({ kind }) => kind === 2).map(({ facts }) => facts['assent.outcome'])).toEqual(['done', 'done'])
  }
  expect(collector.bytes()).not.toContain(secret)
  expect(collector.received[0]?.headers.authorization).toBe('Bearer of-the-collector')
  expect(collector.resource()).toMatchObject({ 'service.version': '1.2.3', 'service.instance.id': 'one' })
})

test('the header of HTTP names the trace where the message does not', async () => {
  const collector = await startCollector()
  const upstream = await upstreamOf('2026')
  const { url, flush } = await traced(collector, { files: upstream })
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      ...call(undefined),
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }
  const send = (headers: Record<string, string>) =>
    fetch(`${url.href}/files`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'read',
        ...headers,
      },
      body: JSON.stringify(body),
    }).then((response) => response.text())

  expect(await send({ traceparent })).toContain('here')
  expect(await send({ traceparent: `ff-${traceId}-${clientSpan}-01` })).toContain('here')
  expect(await send({ traceparent: `00-${'0'.repeat(32)}-${clientSpan}-01` })).toContain('here')
  await flush()
  const [first, ...others] = named(collector.spans(), 'tools/call files').filter(({ kind }) => kind === 2)
  expect(first).toMatchObject({ traceId, parentSpanId: clientSpan })
  // What is no trace context begins a new trace.
  expect(others).toHaveLength(2)
  for (const other of others) {
    expect(other.parentSpanId).toBeUndefined()
    expect(other.traceId).not.toBe(traceId)
  }
})

test.each([
  ['a form in a 2025 session', connect11],
  ['a round of a 2026 client', connect26],
] as const)('a question is a span of the call that asks it: %s', async (_, connect) => {
  const collector = await startCollector()
  const { url, flush } = await traced(collector, { files: await upstreamOf('2026') }, { policy: { default: 'ask' } })
  const client = await connect({ url: new URL(`${url.href}/files`) }, { meta: { traceparent } })
  onTestFinished(() => client.close())
  client.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
  expect((await client.call('read', { token: secret })).text).toContain('here')
  await flush()
  const spans = collector.spans()
  const [ask] = named(spans, 'ask')
  expect(ask).toMatchObject({ traceId, facts: { 'assent.purpose': 'approval', 'assent.via': 'client' } })
  expect(byId(spans, ask?.parentSpanId)).toMatchObject({ name: 'tools/call files', kind: 2 })
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(spans.filter(({ kind }) => kind === 2).at(-1)?.facts['assent.outcome']).toBe('done')
  expect(collector.bytes()).not.toContain(secret)
})

test('a question of an upstream is a span of the call that brings its answer', async () => {
  const collector = await startCollector()
  const asking = await plainUpstream(
    '2026',
    ({ method, params }) => {
      if (method !== 'tools/call') return undefined
      if (params.inputResponses !== undefined) return done('here')
      return { resultType: 'input_required', inputRequests: { a: formOf('Which branch?') }, requestState: 's' }
    },
    [{ name: 'read' }],
  )
  const { url, flush } = await traced(collector, { files: asking })
  const client = await connect26({ url: new URL(`${url.href}/files`) }, { meta: { traceparent } })
  onTestFinished(() => client.close())
  client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
  expect((await client.call('read', { token: secret })).text).toContain('here')
  await flush()
  const spans = collector.spans()
  expect(named(spans, 'ask').map(({ facts }) => facts['assent.purpose'])).toEqual(['input'])
  expect(spans.filter(({ kind }) => kind === 2).map(({ facts }) => facts['assent.outcome'])).toEqual(['asked', 'done'])
  expect(collector.bytes()).not.toContain('main')
})

test('a trace that is not sampled is carried on, and not sent', async () => {
  const collector = await startCollector()
  const upstream = await upstreamOf('2026')
  const { url, flush } = await traced(collector, { files: upstream }, { sample: 0 })
  const client = await connect26({ url: new URL(`${url.href}/files`) })
  onTestFinished(() => client.close())
  await client.request('tools/call', call(undefined))
  await client.request('tools/call', call({ traceparent: `00-${traceId}-${clientSpan}-00` }))
  await client.request('tools/call', call({ traceparent }))
  await flush()
  const [own = '', others = '', sampled = ''] = upstream.of('tools/call').map(({ headers }) => `${headers.traceparent}`)
  expect(own).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  expect(others).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  expect(sampled).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`))
  // Somebody else decided that theirs is sent.
  expect(collector.spans().map((span) => span.traceId)).toEqual([traceId, traceId, traceId])
})

test('a call that failed is told as an error', async () => {
  const collector = await startCollector()
  const failing = await plainUpstream(
    '2026',
    ({ method }) => (method === 'tools/call' ? { error: { code: -32_000, message: secret }, status: 500 } : undefined),
    [{ name: 'read' }],
  )
  const { url, flush } = await traced(collector, { files: failing })
  const client = await connect26({ url: new URL(`${url.href}/files`) })
  onTestFinished(() => client.close())
  await expect(client.request('tools/call', call(undefined))).rejects.toThrow()
  await flush()
  const errors = collector.spans().filter(({ status }) => status?.code === 2)
  expect(errors.map(({ name, kind }) => [name, kind])).toEqual([
    ['tools/call files', 3],
    ['tools/call files', 2],
  ])
  expect(collector.bytes()).not.toContain(secret)
})
