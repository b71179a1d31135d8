import { hash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { audited } from '../support/approval/approving.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { gated } from '../support/gateway/gateways.ts'
import { done, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { placesOf, textClients } from '../support/gateway/text-clients.ts'
import { asking, say } from '../support/server/servers.ts'

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const sha256 = (text: string) => hash('sha256', text, 'base64url')

const unfit = {
  'a number that is too large': '{"path":1e400}',
  'half a surrogate pair': '{"path":"\\ud83d"}',
  'half a surrogate pair in a name': '{"\\udc00":1}',
  '130 levels': nested(130),
  '2,000 levels': nested(2_000),
  'an integer that would be rounded': '{"path":9007199254740993}',
}
/** What JSON.stringify makes of the one value that it cannot say. */
const asGiven = (text: string) => text.replace('1e400', 'null')

const act = { name: 'act', inputSchema: { type: 'object' } }
const acting = () => plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('acted') : undefined), [act])

describe.each(Object.entries(placesOf))('a call at %s', (place, { connect, nameOf }) => {
  test.each(['2025', '2026'])(
    'that cannot be taken as it is ends with -32602, and is in the audit, client %s',
    async (era) => {
      const up = await acting()
      const gate = await gated({ up: { url: up.url } })
      const send = await connect(gate, era)
      expect(await send(nameOf('act'), '{}')).toContain('acted')
      for (const given of Object.values(unfit))
        expect(await send(nameOf('act'), given), place).toContain('"code":-32602')
      const refused = await audited(gate.assent, 'call-refused')
      expect(refused.map(({ data }) => data)).toEqual(
        Object.values(unfit).map((given) => ({
          server: 'up',
          tool: 'act',
          client: expect.any(String),
          status: 'invalid',
          reason: 'invalid-params',
          given: sha256(asGiven(given)),
        })),
      )
      expect(refused.every(({ who, about }) => who !== undefined && about !== undefined)).toBe(true)
      expect(up.of('tools/call')).toHaveLength(1)
    },
  )

  test.each(['2025', '2026'])('of a tool that does not exist is in the audit, client %s', async (era) => {
    const up = await acting()
    const gate = await gated({ up: { url: up.url } })
    const send = await connect(gate, era)
    expect(await send(nameOf('atc'), '{"a":1}')).toContain('Unknown tool')
    expect(await send('nowhere__act', '{}')).toContain('Unknown tool')
    const [first, second] = (await audited(gate.assent, 'call-refused')).map(({ data }) => data)
    expect(first).toMatchObject({ server: 'up', tool: 'atc', reason: 'invalid-params', given: sha256('{"a":1}') })
    expect(second).toMatchObject({ tool: 'nowhere__act', reason: 'invalid-params' })
  })
})

test('arguments that are too deep even for a digest are refused and in the audit without one', async () => {
  const gate = await gated({ up: { url: (await acting()).url } })
  const send = await textClients['2026']?.(gate.url)
  expect(await send?.('up__act', nested(50_000))).toContain('"code":-32602')
  const [refused] = await audited(gate.assent, 'call-refused')
  expect(refused?.data).toEqual({
    server: 'up',
    tool: 'act',
    client: 'raw',
    status: 'invalid',
    reason: 'invalid-params',
  })
})

test('a call with a state that is not ours is in the audit', async () => {
  const { url, assent } = await gated({ up: { url: (await acting()).url } })
  const reply = await rawCall(url, { name: 'up__act', requestState: 'forged' })
  expect(reply.error).toMatchObject({ code: -32_602, message: 'Invalid or expired requestState' })
  const [refused] = await audited(assent, 'call-refused')
  expect(refused?.data).toMatchObject({ server: 'up', tool: 'act', status: 'invalid', reason: 'invalid-state' })
})

test('a call whose header says something else than its body is in the audit', async () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  const up = await plainUpstream('2026', ({ method }) => (method === 'tools/call' ? done('acted') : undefined), [
    { name: 'act', inputSchema },
  ])
  const gate = await gated({ up: { url: up.url } })
  const send = await textClients['2026']?.(gate.url)
  expect(await send?.('up__act', '{"region":"eu"}')).toContain('-32020')
  // The SDK compares headers first, where it can: then nothing of ours is asked.
  expect(up.of('tools/call')).toEqual([])
})

test('a call to an upstream that is down is in the audit, with the reason', async () => {
  const { url, assent } = await gated({ up: { url: new URL('http://127.0.0.1:9/mcp') } })
  const reply = await rawCall(url, { name: 'up__act' })
  expect(reply.result?._meta?.['assent/outcome']).toEqual({ status: 'failed', reason: 'upstream-down' })
  const [refused] = await audited(assent, 'call-refused')
  expect(refused?.data).toMatchObject({ server: 'up', tool: 'act', status: 'failed', reason: 'upstream-down' })
})

test('a tool of the library is told the same way', async () => {
  const { url, assent } = await asking((server, { approvedTool }) => {
    const take = approvedTool<{ any: unknown }>(async () => say('taken'))
    server.registerTool('take', { inputSchema: z.object({ any: z.unknown() }) }, take)
  })
  for (const connect of Object.values(textClients)) {
    const send = await connect(url)
    for (const given of ['{"any":1e400}', '{"any":"\\ud800"}', nested(200)]) {
      expect(await send('take', given)).toContain('"code":-32602')
    }
  }
  const refused = await audited(assent, 'call-refused')
  expect(refused).toHaveLength(6)
  expect(refused[0]?.data).toMatchObject({ server: 'tested', tool: 'take', status: 'invalid' })
})

test('half a surrogate pair in the name of a tool is refused, in that of a client it harms nobody', async () => {
  const gate = await gated(
    { up: { url: (await acting()).url } },
    { assentOptions: { policy: { default: 'ask', fallback: 'inbox' } }, clocks: { hold: 100 } },
  )
  const send = await textClients['2025']?.(gate.url)
  expect(await send?.('up__caf\\ud83d', '{}')).toContain('-32602')
  const [refused] = await audited(gate.assent, 'call-refused')
  expect(refused?.data.tool).toBe('caf‹U+D83D›')
  for (const elicitation of [{ form: {} }, undefined]) {
    const clientInfo = { name: 'caf\ud83d', version: '\ud83d' }
    const reply = await rawCall(gate.url, { name: 'up__act', clientInfo, elicitation })
    expect(reply.error).toBeUndefined()
  }
})
