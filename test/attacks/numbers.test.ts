import { inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { definitionDigest } from '../../src/approval/tool-call.ts'
import { audited } from '../support/approval/approving.ts'
import { connect11, connect26 } from '../support/asking/asking-clients.ts'
import { callsIn } from '../support/gateway/audited-calls.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { done, type PlainUpstream, plainUpstream } from '../support/gateway/plain-upstream.ts'
import { placesOf, type SendText, sendText26, textClients } from '../support/gateway/text-clients.ts'
import { asking, say } from '../support/server/servers.ts'

const id = '9007199254740993'
const tools = [
  {
    name: 'pay',
    inputSchema: { type: 'object', properties: { to: { type: 'integer', maximum: 'raw:9223372036854775807' } } },
  },
]
/** Final results of every shape in which servers give ids. */
const paid = {
  ...done(`paid ${id}`),
  structuredContent: { id: `raw:${id}`, rows: [{ big: 'raw:-18446744073709551615', small: 1.5 }] },
  _meta: { 'example/trace': 'raw:12345678901234567890' },
}

function payments(era: '2025' | '2026'): Promise<PlainUpstream> {
  return plainUpstream(era, ({ method }) => (method === 'tools/call' ? paid : undefined), tools)
}

const eras = ['2025', '2026'] as const
const everywhere = Object.keys(placesOf).flatMap((place) =>
  eras.flatMap((client) => eras.map((upstream) => [place, client, upstream] as const)),
)

async function payingAt(place: string, client: string, upstream: '2025' | '2026') {
  const up = await payments(upstream)
  const gate = await gated({ up: { url: up.url } })
  const { connect, nameOf } = placesOf[place] as (typeof placesOf)[string]
  const send: SendText = await connect(gate, client)
  return { ...gate, up, pay: (given: string) => send(nameOf('pay'), given) }
}

describe('an integer beyond 2^53 in an argument', () => {
  test.each(everywhere)('is refused at %s, client %s, upstream %s, and nothing else is sent', async (...place) => {
    const { up, pay } = await payingAt(...place)
    // The first call of a session goes to the SDK server, the next on the fast path.
    for (const given of ['{"to":7}', '{"to":9007199254740992}']) expect(await pay(given)).toContain(`paid ${id}`)
    const sent = up.of('tools/call').length

    for (const given of [`{"to":${id}}`, `{"deep":[{"to":-${id}.0}]}`, '{"to":9.007199254740993e15}']) {
      const reply = await pay(given)
      expect(reply).toContain('"code":-32602')
      expect(reply).toMatch(/arguments\.(to|deep\[0\]\.to) is -?9.?007199254740993.*more digits.*Send it as a string/)
    }
    expect(up.of('tools/call')).toHaveLength(sent)
  })

  test('is refused by a tool of the library, whatever its schema takes', async () => {
    const runs: unknown[] = []
    const { url } = await asking((server, { tool }) => {
      server.registerTool(
        'take',
        { inputSchema: z.object({ any: z.unknown() }) },
        tool<{ any: unknown }>(async ({ any }) => {
          runs.push(any)
          return say('taken')
        }),
      )
    })
    for (const connect of Object.values(textClients)) {
      const send = await connect(url)
      expect(await send('take', `{"any":${id}}`)).toContain('arguments.any is 9007199254740993')
      expect(await send('take', '{"any":12}')).toContain('taken')
    }
    expect(runs).toEqual([12, 12])
  })

  test.each(eras)(
    'is no answer to a form of an upstream of %s: the person is asked again, and told why',
    async (era) => {
      const seats = { type: 'object', properties: { seats: { type: 'integer' } } } as const
      const url =
        era === '2025'
          ? await oldServer((server) =>
              server.registerTool('book', {}, async () => {
                const { content } = await server.server.elicitInput({ message: 'How many?', requestedSchema: seats })
                return say(`booked ${content?.seats}`)
              }),
            )
          : await newServer((server) =>
              server.registerTool('book', {}, ({ mcpReq }: ServerContext) => {
                const given = mcpReq.inputResponses?.seats as { content?: { seats: number } } | undefined
                if (given !== undefined) return say(`booked ${given.content?.seats}`)
                const params = { mode: 'form', message: 'How many?', requestedSchema: seats } as const
                return inputRequired({ inputRequests: { seats: { method: 'elicitation/create', params } as never } })
              }),
            )
      const gate = await gated({ up: { url } })
      const send = sendText26(gate.url, { elicitation: { form: {} } })
      const first = await send('up__book', '{}')
      const answer = (to: string, given: string) => {
        const [, key] = /"inputRequests":\{"([^"]+)"/.exec(to) ?? []
        const [, state] = /"requestState":"([^"]+)"/.exec(to) ?? []
        const content = `{"action":"accept","content":{"seats":${given}}}`
        return send('up__book', '{}', `,"inputResponses":{"${key}":${content}},"requestState":"${state}"`)
      }
      const again = await answer(first, id)
      expect(again).toContain('Seats has more digits than are kept exactly.')
      expect(await answer(again, '2')).toContain('booked 2')
    },
  )
})

describe('integers beyond 2^53 in what an upstream sends', () => {
  test.each(everywhere)('reach the client as they were written: %s, client %s, upstream %s', async (...place) => {
    const { pay, assent } = await payingAt(...place)
    for (let round = 0; round < 3; round += 1) {
      const reply = await pay('{"to":7}')
      expect(reply).toContain(`"structuredContent":{"id":${id},"rows":[{"big":-18446744073709551615,"small":1.5}]}`)
      expect(reply).toContain('"example/trace":12345678901234567890')
    }
    expect(await callsIn(assent)).toHaveLength(3)
  })

  test.each(eras)('in the schema of a tool too, and its digest stays what it was, client %s', async (client) => {
    const up = await payments('2026')
    const gate = await gated({ up: { url: up.url } }, { assentOptions: { policy: { rules: [{ decide: 'ask' }] } } })
    const connected = await gate.connect(client === '2025' ? connect11 : connect26)
    await connected.listTools()
    expect(connected.received()).toContain('"maximum":9223372036854775807}')
    connected.answers(() => ({ action: 'accept', content: { choice: 'allow_once' } }))
    expect(await connected.call('up__pay', { to: 7 })).toMatchObject({ text: expect.stringContaining('paid') })
    const [started] = await audited(gate.assent, 'call-started')
    const rounded = JSON.parse(JSON.stringify(tools[0]).replace(/"raw:([^"]+)"/, '$1'))
    expect(started?.data.definition).toBe(definitionDigest(rounded))
  })
})
