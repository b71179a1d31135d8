import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { AuditEvent } from '../../src/audit/event.ts'
import type { Assent } from '../../src/index.ts'
import { SessionTransport } from '../../src/mcp/http/session/session.ts'
import { gated, oldServer } from '../support/gateway/gateways.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { type Headers, post, usual } from '../support/gateway/raw-clients.ts'
import { say } from '../support/server/servers.ts'

/** What an upstream asks, and how the client answers. */
interface Form {
  readonly message: string
  readonly schema: Record<string, unknown>
  readonly answer: Record<string, unknown>
}

const name = fc.constantFrom('branch', 'count', 'isSure', 'password', 'é')
const field = fc.constantFrom(
  { type: 'string' },
  { type: 'string', minLength: 3, title: 'A title' },
  { type: 'string', enum: ['one', 'two'] },
  { type: 'integer', minimum: 2 },
  { type: 'boolean', default: true },
  { type: 'object' },
)
const schema = fc
  .tuple(fc.dictionary(name, field, { minKeys: 1, maxKeys: 3 }), fc.boolean())
  .map(([properties, isRequired]) => ({
    type: 'object',
    properties,
    ...(isRequired && { required: Object.keys(properties) }),
  }))
const sayable = ['main', 'one', 'x', 2, 1, 3.5, true, '2', 'yes', []]
/** What else a client may send: on a session such an answer is none, and the question waits in the inbox. */
const unsayable = [null, {}, [1]]
const answerOf = (values: readonly unknown[], others: readonly Form['answer'][]): fc.Arbitrary<Form['answer']> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .dictionary(name, fc.constantFrom(...values), { maxKeys: 3 })
        .map((content) => ({ action: 'accept', content })),
    },
    fc.constantFrom({ action: 'decline' }, { action: 'cancel' }, ...others),
  )
const message = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.constantFrom('Which branch?', 'Your password, please', 'two\nlines', '', 'Assent asks: fine?'),
)
/** Mostly forms that may be asked and are answered as they should be, for those go the furthest. */
const usualForm = fc.record({
  message: fc.constantFrom('Which branch?', 'And which one now?'),
  schema: fc.constant({ type: 'object', properties: { branch: { type: 'string' } }, required: ['branch'] }),
  answer: fc.constantFrom(
    { action: 'accept', content: { branch: 'main' } },
    { action: 'accept', content: {} },
    { action: 'decline' },
  ),
})
const formsWith = (answer: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Form[]> =>
  fc.array(fc.oneof(usualForm, fc.record({ message, schema, answer })), { minLength: 1, maxLength: 3 })
const roundForms = formsWith(answerOf([...sayable, ...unsayable], [{ action: 'accept' }, { action: 'perhaps' }]))
const pushedForms = formsWith(answerOf(sayable, []))

async function eventsOf(assent: Assent): Promise<AuditEvent[]> {
  await assent.record({ kind: 'custom:looked' })
  const chains = await assent.store.audit.chains()
  const read = await Promise.all(chains.map(({ chain }) => assent.store.audit.read(chain, 0, 100_000)))
  return read.flat()
}

/** What a call left behind, without ids and times. */
function traceOf({ kind, who, data }: AuditEvent): unknown {
  const { id: _, ...said } = data as Record<string, unknown>
  return {
    kind,
    who,
    said: JSON.parse(
      JSON.stringify(said).replace(/[\w-]{36}|"waitedMs":\d+/g, (found) =>
        found.startsWith('"') ? '"waitedMs":0' : 'id',
      ),
    ),
  }
}

interface Ran {
  readonly message: unknown
  readonly asked: unknown[]
  readonly gave: unknown[]
  readonly events: unknown[]
}

/** Makes one call, and answers what it asks. */
type Run = (way: Headers, forms: readonly Form[]) => Promise<{ message: unknown; asked: unknown[] }>

async function compare(assent: Assent, forms: fc.Arbitrary<Form[]>, run: Run, gave: unknown[]): Promise<void> {
  let seen = 0
  async function traces(way: Headers, made: readonly Form[]): Promise<Ran> {
    gave.length = 0
    const ran = await run(way, made)
    const events = await eventsOf(assent)
    const unseen = events.slice(seen).filter(({ kind }) => !kind.startsWith('custom:') && kind !== 'heads')
    seen = events.length
    return { ...ran, gave: [...gave], events: unseen.map(traceOf) }
  }

  await traces({}, [])
  let answered = 0
  await fc.assert(
    fc.asyncProperty(forms, async (made) => {
      const fast = await traces({}, made)
      const slow = await traces(usual, made)
      expect(fast).toEqual(slow)
      if (fast.gave.length > 0) answered += 1
    }),
    { numRuns: 20 },
  )
  expect(answered).toBeGreaterThan(5)
}

const capabilities = { elicitation: { form: {} } }
const clientInfo = { name: 'raw', version: '1' }

describe('forms leave the same behind by the fast path as by the SDK server', () => {
  test('for a client of 2026-07-28 before an upstream of 2026', async () => {
    let next: readonly Form[] = []
    const gave: unknown[] = []
    const upstream = await plainUpstream(
      '2026',
      ({ method, params }) => {
        if (method !== 'tools/call') return undefined
        const { requestState, inputResponses } = params as { requestState?: string; inputResponses?: object }
        if (inputResponses !== undefined) gave.push(inputResponses)
        const at = Number(requestState ?? 0)
        const form = next[at]
        if (form === undefined) return done(`asked ${at}`)
        const elicit = { mode: 'form', message: form.message, requestedSchema: form.schema }
        return {
          resultType: 'input_required',
          requestState: `${at + 1}`,
          inputRequests: { [`q${at}`]: { method: 'elicitation/create', params: elicit } },
        }
      },
      [{ name: 'echo' }],
    )
    const { assent, url } = await gated({ up: { url: upstream.url } })
    const at = new URL(`${url.href}/up`)
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' }

    const run: Run = async (way, made) => {
      next = made
      const asked: unknown[] = []
      let more = {}
      for (let round = 0; ; round += 1) {
        const params = { name: 'echo', arguments: {}, _meta, ...more }
        const sent = { jsonrpc: '2.0', id: round, method: 'tools/call', params }
        const { message, status } = await post(at, sent, { ...headers, ...way })
        const { requestState, inputRequests, ...rest } = (message?.result ?? {}) as Record<string, object>
        if (requestState === undefined) return { message: [status, message], asked }
        // What is no answer is asked again without end.
        if (round > 5) return { message: 'asked again', asked }
        asked.push(inputRequests, rest)
        const given = Object.keys(inputRequests ?? {}).map((key) => {
          const [number = '0'] = /\d+$/.exec(key) ?? []
          return [key, made[Number(number)]?.answer ?? { action: 'cancel' }]
        })
        more = { requestState, inputResponses: Object.fromEntries(given) }
      }
    }
    await compare(assent, roundForms, run, gave)
  }, 120_000)

  test('for a session of 2025-11-25 before an upstream of 2025, which asks in mid-call', async () => {
    let next: readonly Form[] = []
    const gave: unknown[] = []
    const upstream = await oldServer((server) => {
      server.registerTool('echo', {}, async () => {
        for (const { message, schema } of next) {
          const params = { message, requestedSchema: schema } as never
          gave.push(await server.server.elicitInput(params).catch((error: Error) => error.message))
        }
        return say(`asked ${next.length}`)
      })
    })
    const { assent, url } = await gated({ up: { url: upstream } })
    const at = new URL(`${url.href}/up`)
    const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
    const { session } = await post(at, { jsonrpc: '2.0', id: 'first', method: 'initialize', params })
    const headers = { 'mcp-session-id': session as string, 'mcp-protocol-version': '2025-11-25' }
    await post(at, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)

    let last = 0
    const run: Run = async (way, made) => {
      next = made
      last += 1
      const asked: unknown[] = []
      const answering: Promise<{ status: number }>[] = []
      const sent = { jsonrpc: '2.0', id: last, method: 'tools/call', params: { name: 'echo', arguments: {} } }
      const { message } = await post(at, sent, { ...headers, ...way }, ({ id, method, params }) => {
        asked.push({ method, params })
        const said = (params as { message: string }).message
        const form = made.find(({ message }) => message !== '' && said.includes(message.trim()))
        const result = form?.answer ?? { action: 'cancel' }
        answering.push(post(at, { jsonrpc: '2.0', id, result }, { ...headers, ...way }))
      })
      const statuses = (await Promise.all(answering)).map(({ status }) => status)
      return { message: [{ ...message, id: 0 }, statuses], asked }
    }
    await compare(assent, pushedForms, run, gave)

    // Only the call itself reaches the SDK's transport, as an answer does that is not taken by the fast path.
    const [form] = fc.sample(usualForm, 1)
    const handled = vi.spyOn(SessionTransport.prototype, 'handleRequest')
    await run({}, [{ ...(form as Form), answer: { action: 'decline' } }])
    expect(handled).toHaveBeenCalledTimes(1)
    await run(usual, [{ ...(form as Form), answer: { action: 'decline' } }])
    expect(handled).toHaveBeenCalledTimes(3)
    handled.mockRestore()
  }, 120_000)
})
