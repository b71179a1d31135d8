import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AuditEvent } from '../../src/audit/event.ts'
import type { Assent } from '../../src/index.ts'
import { gated } from '../support/gateway/gateways.ts'
import { type Heard, plainUpstream, type Said } from '../support/gateway/plain-upstream.ts'
import { type Headers, post, raws, usual } from '../support/gateway/raw-clients.ts'

const tools = ['echo', 'forbidden', 'kept'].map((name) => ({ name }))
const policy = {
  default: 'allow',
  rules: [
    { tool: 'forbidden', decide: 'deny' },
    { tool: 'kept', decide: 'allow', keepArguments: true },
  ],
} as never

const key = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('__proto__', 'toJSON', 'constructor', '_meta', 'é\u0000'),
)
const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(-0, 1e21, 5e-324, 'raw:12345678901234567890'))
const record = fc.dictionary(key, value, { maxKeys: 4 })
/** The SDK server drops `__proto__` from a result. The fast path passes it on as it came. */
const data = record.filter((made) => !Object.hasOwn(made, '__proto__'))
const meta = fc.record(
  {
    progressToken: fc.oneof(fc.string(), fc.integer(), fc.boolean()),
    traceparent: fc.string(),
    'io.modelcontextprotocol/logLevel': fc.constant('debug'),
    'assent/status': fc.string(),
  },
  { requiredKeys: [] },
)

interface Made {
  readonly id: unknown
  readonly name: string
  readonly given: unknown
  readonly meta: object | undefined
  readonly more: object
  readonly headers: Headers
}

/** Mostly calls that the fast path takes, and some that it has to leave alone. */
const call: fc.Arbitrary<Made> = fc.record({
  id: fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  name: fc.oneof({ weight: 19, arbitrary: fc.constantFrom('echo', 'kept') }, fc.constantFrom('forbidden', 'none', '')),
  given: fc.oneof({ weight: 19, arbitrary: record }, fc.constantFrom(undefined, null, [], 'x')),
  meta: fc.option(meta, { nil: undefined, freq: 2 }),
  more: fc.oneof({ weight: 19, arbitrary: fc.constant({}) }, fc.constantFrom({ requestState: 'x' }, { task: {} })),
  headers: fc.oneof(
    { weight: 19, arbitrary: fc.constant({}) },
    fc.constantFrom({ 'mcp-param-x': '1' }, { accept: 'application/json' }, { 'mcp-name': 'other' }),
  ),
})

const long = 'long '.repeat(13_000)
const result: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    content: fc.array(
      fc.record({
        type: fc.constant('text'),
        text: fc.oneof({ weight: 5, arbitrary: fc.string() }, fc.constant(long)),
      }),
      { maxLength: 3 },
    ),
    structuredContent: data,
    isError: fc.boolean(),
    resultType: fc.constantFrom('complete', 'other'),
    _meta: fc.dictionary(
      fc.constantFrom('a', 'io.modelcontextprotocol/serverInfo', 'assent/approvedBy'),
      fc.constantFrom({ name: 'x', version: '1' }, 'text'),
    ),
  },
  { requiredKeys: ['content'] },
)

/** The ways in which servers write a message, and some in which none should. */
const spellings: Record<string, (id: unknown, result: Record<string, unknown>) => string> = {
  'result first': (id, result) => JSON.stringify({ result, jsonrpc: '2.0', id }),
  'result last': (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result }),
  'result in the middle': (id, result) => JSON.stringify({ id, result, jsonrpc: '2.0' }),
  'on several lines': (id, result) => JSON.stringify({ jsonrpc: '2.0', id, result }, undefined, 2),
  'a result on several lines': (id, result) =>
    `{"result":${JSON.stringify(result, undefined, 1)},"jsonrpc":"2.0","id":${id}}`,
  '_meta first': (id, { _meta, ...rest }) =>
    JSON.stringify({ result: { ...(_meta !== undefined && { _meta }), ...rest }, jsonrpc: '2.0', id }),
  'ASCII only': (id, result) =>
    JSON.stringify({ result, jsonrpc: '2.0', id }).replace(
      /[^ -~]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  'names in escapes': (id, result) =>
    JSON.stringify({ result, jsonrpc: '2.0', id })
      .replaceAll('"_meta"', '"\\u005fmeta"')
      .replaceAll('"isError"', '"\\u0069sError"'),
  'names twice': (id, result) =>
    `{"result":{"isError":true,"resultType":"other","_meta":{"assent/approvedBy":"x"},${JSON.stringify(result).slice(1)},"jsonrpc":"2.0","id":${id}}`,
  'a name twice, within': (id, result) =>
    `{"result":{"structuredContent":{"_meta":{"isError":true}},${JSON.stringify(result).slice(1)},"jsonrpc":"2.0","id":${id}}`,
  'two results': (id, result) =>
    `{"result":{"content":[]},"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":${id}}`,
  'a result and an error': (id, result) =>
    `{"result":${JSON.stringify(result)},"error":{"code":7,"message":"no"},"jsonrpc":"2.0","id":${id}}`,
  'long numbers': (id, result) =>
    `{"result":${JSON.stringify({ ...result, more: 'N' }).replace('"N"', '12345678901234567890.50')},"jsonrpc":"2.0","id":${id}}`,
}

const written: fc.Arbitrary<Said> = fc
  .tuple(result, fc.constantFrom(...Object.values(spellings)), fc.boolean())
  .map(([result, spell, asEvent]) => ({ wire: (id) => spell(id, result), asEvent }))

const said: fc.Arbitrary<Said> = fc.oneof(
  { weight: 8, arbitrary: written },
  { weight: 2, arbitrary: result },
  fc.record({
    error: fc.record({ code: fc.constantFrom(-32_602, -32_603, 7), message: fc.string() }),
    status: fc.constantFrom(200, 400),
  }),
)

/** What one call left behind, without what differs between any two calls. */
interface Traces {
  readonly status: number
  readonly message: unknown
  readonly heard: unknown[]
  readonly events: unknown[]
}

async function eventsOf(assent: Assent): Promise<AuditEvent[]> {
  // The end of a call on the fast path is kept with what is recorded next.
  await assent.record({ kind: 'custom:looked' })
  const chains = await assent.store.audit.chains()
  const read = await Promise.all(chains.map(({ chain }) => assent.store.audit.read(chain, 0, 100_000)))
  return read.flat().filter(({ kind }) => kind.startsWith('call-'))
}

function withoutPlace({ kind, who, data, kept }: AuditEvent) {
  return { kind, who, data, kept: kept?.value }
}

function heardOf({ method, params, headers }: Heard) {
  const named = Object.entries(headers).filter(([name]) => name.startsWith('mcp-') && name !== 'mcp-session-id')
  // Each request to an upstream has an id of its own, and its progress token is the same.
  const { _meta, ...rest } = params as { _meta?: Record<string, unknown> }
  const { progressToken, ...kept } = _meta ?? {}
  return { method, headers: named.sort(), params: rest, meta: kept, hasToken: progressToken !== undefined }
}

const cells = Object.keys(raws).flatMap((client) =>
  (['2025', '2026'] as const).flatMap((era) => (['/up', ''] as const).map((path) => [client, era, path] as const)),
)

describe.each(cells)('a client of %s before an upstream of %s at /mcp%s', (client, era, path) => {
  test('leaves the same behind by the fast path as by the SDK server, whatever is called and answered', async () => {
    let next: Said = {}
    const upstream = await plainUpstream(era, ({ method }) => (method === 'tools/call' ? next : undefined), tools)
    const { assent, url } = await gated({ up: { url: upstream.url } }, { assentOptions: { policy } })
    const at = new URL(`${url.href}${path}`)
    const prefix = path === '' ? 'up__' : ''
    const open = raws[client] as (typeof raws)[string]
    const raw = await open(at)

    let seen = 0
    async function newEvents(): Promise<unknown[]> {
      const events = await eventsOf(assent)
      const unseen = events.slice(seen)
      seen = events.length
      return unseen.map(withoutPlace)
    }

    async function traces(made: Made, answer: Said, way: Headers): Promise<Traces> {
      next = answer
      const heardBefore = upstream.of('tools/call').length
      const name = `${prefix}${made.name}`
      const body = raw.body(name, made.given as object)
      const envelope = body.params._meta as object | undefined
      const _meta = made.meta === undefined ? envelope : { ...made.meta, ...envelope }
      const sent = { ...body, id: made.id, params: { ...body.params, ...made.more, ...(_meta && { _meta }) } }
      const text = JSON.stringify(sent).replace(/"raw:([^"]+)"/g, '$1')
      const { status, message } = await post(at, text, { ...raw.headersFor(name), ...made.headers, ...way })
      return {
        status,
        message,
        heard: upstream.of('tools/call').slice(heardBefore).map(heardOf),
        events: await newEvents(),
      }
    }

    await newEvents()
    let ran = 0
    await fc.assert(
      fc.asyncProperty(call, said, async (made, answer) => {
        const fast = await traces(made, answer, {})
        const slow = await traces(made, answer, usual)
        expect(fast).toEqual(slow)
        if (fast.heard.length > 0) ran += 1
      }),
      { numRuns: 60 },
    )
    // About half of what is generated reaches the upstream. If nothing did, this would compare refusals only.
    expect(ran).toBeGreaterThan(5)
  }, 60_000)
})
