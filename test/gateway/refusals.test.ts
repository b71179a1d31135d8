import { inputRequired } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { gated, newServer, oldServer } from '../support/gateway/gateways.ts'
import { say } from '../support/server/servers.ts'

const branch = { type: 'object', properties: { branch: { type: 'string' } } }

/** A 2025 upstream that asks this, without looking at what was declared, and tells how it was answered. */
const asks = (params: Record<string, unknown>) =>
  oldServer((server) => {
    server.registerTool('ask', {}, async () => {
      // Its own SDK would not send what was not declared.
      server.server.getClientCapabilities = () => ({ elicitation: { form: {}, url: {} } })
      const answer = await server.server
        .request({ method: 'elicitation/create', params } as never, anything as never)
        .catch(({ code, data }) => ({ code, reason: data?.reason }))
      return say(JSON.stringify(answer))
    })
  })
const anything = { safeParse: (data: unknown) => ({ success: true, data }), _zod: undefined, parse: (d: unknown) => d }

const noInbox = { assentOptions: { policy: { default: 'allow', fallback: 'deny' } } } as const

const asked = async (
  params: Record<string, unknown>,
  connecting: { elicitation?: Record<string, unknown> | undefined } = {},
  options: Parameters<typeof gated>[1] = noInbox,
  how = connect11,
) => {
  const { connect } = await gated({ up: { url: await asks(params) } }, options)
  const client = await connect(how, { only: 'up', ...connecting })
  client.answers(() => ({ action: 'accept', content: { branch: 'main' } }))
  return { answer: JSON.parse((await client.call('ask')).text), client }
}

const form = { message: 'Which?', requestedSchema: branch }
const page = { mode: 'url', message: 'Open', url: 'https://example.com/x', elicitationId: 'x' }

describe.each([
  ['2025', connect11],
  ['2026', connect26],
])('a 2025 upstream that asks a client of %s', (_, how) => {
  test('hears -32601 where asking is turned off, or the client declared nothing', async () => {
    expect((await asked(form, {}, { ...noInbox, elicitation: false }, how)).answer).toMatchObject({ code: -32_601 })
    const { answer, client } = await asked(form, { elicitation: undefined }, noInbox, how)
    expect(answer).toMatchObject({ code: -32_601 })
    expect(client.asked).toEqual([])
  })

  test('hears -32602 for a mode that the client did not declare (E11-11)', async () => {
    expect((await asked(page, { elicitation: { form: {} } }, noInbox, how)).answer).toMatchObject({ code: -32_602 })
    expect((await asked(form, { elicitation: { url: {} } }, noInbox, how)).answer).toMatchObject({ code: -32_602 })
    expect((await asked({ ...form, mode: 'voice' }, {}, noInbox, how)).answer).toMatchObject({ code: -32_602 })
  })

  test.each([
    ['nested', { type: 'object', properties: { deep: { type: 'object', properties: {} } } }],
    ['asking for a secret (E11-01)', { type: 'object', properties: { password: { type: 'string' } } }],
    [
      'huge',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, { type: 'string' }])),
      },
    ],
    ['that is none', 'what?'],
  ])('hears -32602 for a form %s, and nobody is asked', async (_name, requestedSchema) => {
    const { answer, client } = await asked({ message: 'Fill in', requestedSchema }, {}, noInbox, how)
    expect(answer).toMatchObject({ code: -32_602 })
    expect(client.asked).toEqual([])
  })

  test.each(['http://example.com/x', 'https://user:pass@example.com/', 'javascript:alert(1)', 'not a url'])(
    'hears -32602 for the page %s, and nobody is asked',
    async (url) => {
      const { answer, client } = await asked({ ...page, url }, {}, noInbox, how)
      expect(answer).toMatchObject({ code: -32_602 })
      expect(client.asked).toEqual([])
    },
  )

  test('cannot hide where a page leads behind letters that look like others', async () => {
    const { client } = await asked({ ...page, url: 'https://exаmple.com/x' }, {}, noInbox, how)
    expect(client.asked[0]?.url).toMatch(/^https:\/\/xn--/)
    expect(client.asked[0]?.message).toContain('xn--')
  })

  test('hears -31001 and the reason when nobody answers in time, never a pretended no', async () => {
    const clocks = { upstreamAsk: 300, park: 20_000 }
    const { connect, gateway } = await gated({ up: { url: await asks(form) } }, { ...noInbox, clocks })
    const client = await connect(how, { only: 'up' })
    client.answers(() => new Promise((resolve) => setTimeout(() => resolve({ action: 'cancel' }), 1_500)))
    const [said = ''] = (await client.call('ask')).text.split('The answer to up came too late')
    expect(JSON.parse(said)).toEqual({ code: -31_001, reason: 'unanswered' })
    expect(gateway.parked).toBe(0)
  })

  test.each([
    ['asks for a secret', { password: { type: 'string' } }, 'The field "password" asks for a secret.'],
    ['cannot be asked', { list: { type: 'object' } }, 'This form cannot be asked: properties.list.type must be string'],
  ])('is told that its form %s, and that it is to blame', async (_, properties, reason) => {
    const refused = { ...form, requestedSchema: { type: 'object', properties } }
    const url = await oldServer((server) => {
      server.registerTool('ask', {}, async () => {
        const answer = server.server.elicitInput(refused as never)
        return say(await answer.then(String, ({ message }) => message))
      })
    })
    const { connect } = await gated({ up: { url } }, noInbox)
    const client = await connect(how, { only: 'up' })
    const { text } = await client.call('ask')
    expect(text).toContain(reason)
    expect(text).toContain('This is a fault of the server up, not of the call: whoever runs up has to mend its form.')
    expect(client.asked).toEqual([])
  })

  test('an attack: a pattern that takes for ever is judged in no time, and the person is asked again', async () => {
    const requestedSchema = { type: 'object', properties: { branch: { type: 'string', pattern: '^(a+)+$' } } }
    const { connect } = await gated({ up: { url: await asks({ message: 'Which?', requestedSchema }) } }, noInbox)
    const client = await connect(how, { only: 'up' })
    const given = [`${'a'.repeat(50_000)}!`, 'aaa']
    client.answers(() => ({ action: 'accept', content: { branch: given.shift() as string } }))
    expect(JSON.parse((await client.call('ask')).text)).toEqual({ action: 'accept', content: { branch: 'aaa' } })
    expect(client.asked).toHaveLength(2)
    expect(client.asked[1]?.message).toContain('Branch must be written as the pattern ^(a+)+$ says.')
  })

  test('says who asks, whatever it writes (E11-04)', async () => {
    const { client } = await asked({ ...form, message: '[assent] Your branch\u202e?' }, {}, noInbox, how)
    expect(client.asked).toHaveLength(1)
    expect(client.asked[0]?.message).toMatch(/^\[up\] \[assent\] Your branch/)
    expect(client.asked[0]?.message).not.toContain('\u202e')
  })
})

test('what a client cannot show is asked in the inbox, where there is one', async () => {
  const { assent, connect } = await gated({ up: { url: await asks(form) } })
  const client = await connect(connect06, { only: 'up', elicitation: undefined })
  assent.events.listen((news) => {
    if (news.kind !== 'asked') return
    const answering = { participant: 'local' as never, groups: [], via: 'page' as const }
    void assent.answer(news.elicitation.id, answering, { action: 'accept', content: { branch: 'inbox' } })
  })
  expect(JSON.parse((await client.call('ask')).text)).toEqual({ action: 'accept', content: { branch: 'inbox' } })
})

describe('a 2026 upstream that asks what must not be asked', () => {
  const upstream = (params: Record<string, unknown>, runs: string[] = []) =>
    newServer((server) => {
      server.registerTool('ask', {}, ({ mcpReq }) => {
        runs.push('called')
        if (mcpReq.inputResponses !== undefined) return say('answered')
        return inputRequired({ inputRequests: { it: { method: 'elicitation/create', params } as never } })
      })
    })

  test.each([
    ['2025', connect11],
    ['2026', connect26],
  ])('is not called again, and a client of %s hears why (E11-01)', async (_, how) => {
    const runs: string[] = []
    const requestedSchema = { type: 'object', properties: { password: { type: 'string' } } }
    const url = await upstream({ mode: 'form', message: 'Log in', requestedSchema }, runs)
    const { connect } = await gated({ up: { url } })
    const client = await connect(how, { only: 'up' })
    const { isError, outcome } = await client.call('ask')
    expect({ isError, outcome }).toEqual({
      isError: true,
      outcome: { status: 'failed', reason: 'upstream-ask-refused' },
    })
    expect(client.asked).toEqual([])
    expect(runs).toEqual(['called'])
  })
})
