import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AskRefused, type Asks, explicitAsking } from '../../src/server/index.ts'
import { type Connect, connect06, connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { type AskingOptions, asking, localPage, nextAsked, say } from '../support/server/servers.ts'

const everyRevision: [string, Connect][] = [
  ['2025-06-18', connect06],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
]
const a = z.object({ a: z.string() })

const working = (work: (ask: Asks) => Promise<string>, options: AskingOptions = {}) =>
  asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask) => say(await work(ask))),
    )
  }, options)

describe('a form that asks for a secret is refused before the wire (E06-01, E11-01)', () => {
  const forms: [string, string, Record<string, unknown>][] = [
    ['by its field', 'Settings', { type: 'object', properties: { api_key: { type: 'string' } } }],
    ['by its title', 'Settings', { type: 'object', properties: { x: { type: 'string', title: 'Password' } } }],
    ['by its message', 'Paste your access token', { type: 'object', properties: { x: { type: 'string' } } }],
  ]
  for (const [revision, how] of everyRevision) {
    test.each(forms)(`on ${revision}, %s (E11-01)`, async (_by, message, schema) => {
      const { assent, connect } = await working(async (ask) => JSON.stringify(await ask.form(message, schema)))
      const client = await connect(how)
      expect(await client.call('work')).toMatchObject({
        isError: true,
        text: expect.stringContaining('asks for a secret. Ask for it by url instead.'),
      })
      expect(client.asked).toEqual([])
      expect(await assent.listOpen(localPage, 10)).toEqual([])
    })
  }

  test('also when it would be shown on a page instead, or is asked step by step (E11-01)', async () => {
    const schema = { type: 'object', properties: { password: { type: 'string' } } }
    const onPage = await working(async (ask) => JSON.stringify(await ask.form('Settings', schema)))
    const urlOnly = await onPage.connect(connect11, { elicitation: { url: {} } })
    expect((await urlOnly.call('work')).text).toContain('asks for a secret')

    const explicit = await asking((server, { plainTool }) => {
      server.registerTool(
        'work',
        {},
        plainTool(async (ask, ctx) => {
          const steps = explicitAsking(ctx, ask)
          return say(JSON.stringify(await steps.elicitForm({ message: 'Settings', requestedSchema: schema })))
        }),
      )
    })
    expect((await (await explicit.connect(connect26)).call('work')).text).toContain('asks for a secret')
  })

  test('a name or an address may be asked for (E11-03)', async () => {
    const schema = {
      type: 'object',
      properties: { email: { type: 'string', format: 'email' }, username: { type: 'string' } },
    }
    const { connect } = await working(async (ask) => JSON.stringify(await ask.form('Who are you?', schema)))
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept', content: { email: 'a@example.com', username: 'ada' } }))
    expect(JSON.parse((await client.call('work')).text)).toEqual({ email: 'a@example.com', username: 'ada' })
  })
})

describe('a bad question is the author’s error, and nothing is asked', () => {
  const bad: [string, (ask: Asks) => Promise<unknown>, string][] = [
    ['without a message', (ask) => ask.form(' ', a), 'needs a message'],
    ['with too long a message', (ask) => ask.form('x'.repeat(4_001), a), 'at most 4000 characters'],
    ['with a url that is none (E11-17)', (ask) => ask.url('Look', '/relative'), 'must be a full url'],
    ['with a url without https (E11-34)', (ask) => ask.url('Look', 'http://example.com'), 'must be https'],
    ['with a password in its url (E11-32)', (ask) => ask.url('Look', 'https://u:p@example.com'), 'no password'],
    ['with a nested form (E11-15)', (ask) => ask.form('A?', z.object({ o: z.object({}) })), 'o'],
  ]
  for (const [what, ask, words] of bad) {
    test.each([
      ['2025-11-25', connect11],
      ['2026-07-28', connect26],
    ])(`${what}, on %s`, async (_revision, how) => {
      const { connect } = await working(async (asks) => String(await ask(asks)))
      const client = await connect(how)
      const result = await client.call('work')
      expect(result.isError).toBe(true)
      expect(result.text).toContain(words)
      expect(client.asked).toEqual([])
    })
  }
})

describe('a refusal', () => {
  test('may be caught where it was asked, with its status and reason', async () => {
    const { connect } = await working(async (ask) => {
      const refused = await ask.form('A?', a).catch((error: unknown) => error)
      return refused instanceof AskRefused ? `${refused.status} ${refused.reason} ${refused.code}` : 'answered'
    })
    for (const [, how] of everyRevision) {
      const client = await connect(how)
      client.answers(() => ({ action: 'cancel' }))
      expect((await client.call('work')).text).toBe('cancelled cancelled ask_refused')
    }
  })

  test.each([
    ['SDK 1.32', connectOld],
    ['SDK 2.4 on 2025-11-25', connect11],
    ['SDK 2.4 on 2026-07-28', connect26],
  ])('of a tool with an output schema does not break %s', async (_name, how) => {
    const { connect } = await asking((server, { plainTool }) => {
      server.registerTool(
        'work',
        { outputSchema: a },
        plainTool(async (ask) => ({ content: [], structuredContent: await ask.form('A?', a) })),
      )
    })
    const client = await connect(how)
    await client.listTools()
    client.answers(() => ({ action: 'decline' }))
    const refused = await client.call('work')
    expect(refused).toMatchObject({ isError: true, outcome: { status: 'declined', reason: 'declined' } })
    expect(refused.structuredContent).toBeUndefined()
  })

  const endings: [string, (asking: Awaited<ReturnType<typeof working>>, id: never) => Promise<unknown>, object][] = [
    [
      'failed',
      ({ assent }, id) => assent.fail(id, 'the provider is down'),
      { text: 'It could not be done: the provider is down', outcome: { status: 'failed', reason: 'failed' } },
    ],
    [
      'taken back',
      ({ assent }, id) => assent.withdrawAsObsolete(id, 'the rule is gone'),
      { text: 'The question was taken back: the rule is gone', outcome: { status: 'cancelled', reason: 'withdrawn' } },
    ],
    [
      'declined on its page',
      ({ assent }, id) => assent.answer(id, localPage, { action: 'decline' }),
      { outcome: { status: 'declined', reason: 'declined' } },
    ],
  ]
  for (const [what, settle, told] of endings) {
    test.each([
      ['2025-11-25', connect11],
      ['2026-07-28', connect26],
    ])(`tells of a page that was ${what}, on %s (E26-06)`, async (_revision, how) => {
      const asked = await working(async (ask) => (await ask.url('Sign', 'https://example.com/s')).action)
      const client = await asked.connect(how)
      client.answers(() => ({ action: 'accept' }))
      const elicitation = nextAsked(asked.assent)
      const calling = client.call('work')
      await settle(asked, (await elicitation).id as never)
      expect(await calling).toMatchObject({ isError: true, ...told })
    })
  }

  test('of a prompt or a resource is the error -31001 with its data, on every revision', async () => {
    const { connect } = await asking((server, { prompt, resource }) => {
      server.registerPrompt(
        'plan',
        { argsSchema: a },
        prompt(async (_args, ask) => {
          await ask.form('A?', a)
          return { messages: [] }
        }),
      )
      server.registerResource(
        'note',
        'note://x',
        {},
        resource(async (_uri, ask, _ctx) => {
          await ask.form('A?', a)
          return { contents: [] }
        }),
      )
    })
    for (const [, how] of [...everyRevision, ['SDK 1.32', connectOld] as const]) {
      const client = await connect(how, { elicitation: {} })
      client.answers(() => ({ action: 'decline' }))
      const error = { code: -31_001, data: { status: 'declined', reason: 'declined' } }
      await expect(client.read('note://x')).rejects.toMatchObject(error)
      await expect(client.prompt('plan', { a: 'x' })).rejects.toMatchObject(error)
    }
  })
})
