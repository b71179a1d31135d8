import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ElicitationId } from '../../src/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import { connect11 } from '../support/asking/asking-clients.ts'
import { connect2026, everyClient, of2025, sleep, textOf } from '../support/client/clients.ts'
import { type AskingOptions, asking, localPage, say, until } from '../support/server/servers.ts'

const idIn = (url: string) => /\/elicit\/([^/]+)/.exec(url)?.[1] as ElicitationId

/** A server of notes that needs an account there, as the first design had it. */
async function notes(options: AskingOptions = {}) {
  const served = await asking(
    (server, { plainTool }) => {
      server.registerTool(
        'nc_notes_list_notes',
        {},
        plainTool(async (ask) => {
          await ask.secret('Connect your Nextcloud', { type: 'nextcloud' })
          return say('notes: groceries')
        }),
      )
    },
    { urlBy: 'error', ...options },
  )
  const connectAccount = (url: string) =>
    served.assent.answer(idIn(url), localPage, { action: 'accept', content: { apiKey: 'an app password' } })
  return { ...served, connectAccount }
}

describe.each(of2025)('a tool that needs an account, called through %s', (_name, connect) => {
  test('for the first time: the person is shown where to go, and why', async () => {
    const { url, assent, connect: connectPlainly, connectAccount } = await notes()
    // What is on the wire, for a client that leaves it to its author.
    const plain = await connectPlainly(connect11)
    await expect(plain.call('nc_notes_list_notes')).rejects.toMatchObject({
      code: -32_042,
      data: { elicitations: [{ mode: 'url', elicitationId: expect.any(String) }] },
    })

    const ui = scriptedUi({ consentToOpen: ['open'], open: async (page) => void (await connectAccount(page)) })
    const client = await connect(url, ui, { server: 'nextcloud' })
    await client.callTool({ name: 'nc_notes_list_notes' })
    const [{ request } = expect.fail('nobody was asked')] = ui.all('consent')
    expect(request).toMatchObject({ asker: { server: 'nextcloud' }, message: 'Connect your Nextcloud' })
    expect(request.url).toContain(request.host)
    expect(await assent.get(idIn(request.url))).toMatchObject({ state: { kind: 'answered' } })
  })

  test('shows its progress while the person is away, by elicitation/track', async () => {
    const { url, connectAccount } = await notes()
    const away = async (page: string) => {
      setTimeout(() => void connectAccount(page), 150)
    }
    const ui = scriptedUi({ consentToOpen: ['open'], open: away })
    const client = await connect(url, ui)
    await client.callTool({ name: 'nc_notes_list_notes' })

    expect(ui.all('waiting')[0]?.progress).toContain('Waiting for a person to answer')
    const [track] = client.requests('elicitation/track')
    expect(client.received.find(({ id, result }) => id === track?.id && result)?.result).toMatchObject({
      status: 'complete',
    })
  })

  test('goes on by itself when the account is there, and needs nobody the next time', async () => {
    const { url, connectAccount } = await notes()
    const ui = scriptedUi({ consentToOpen: ['open'], open: async (page) => void (await connectAccount(page)) })
    const client = await connect(url, ui)

    const first = await client.callTool({ name: 'nc_notes_list_notes' })
    expect([first.isError, textOf(first)]).toEqual([undefined, 'notes: groceries'])
    expect(client.requests('tools/call')).toHaveLength(2)
    expect(textOf(await client.callTool({ name: 'nc_notes_list_notes' }))).toBe('notes: groceries')
    expect(ui.all('consent')).toHaveLength(1)
  })

  test('times out when nobody finishes', async () => {
    const call = { name: 'nc_notes_list_notes' }
    const impatient = await connect((await notes()).url, scriptedUi({ consentToOpen: ['open'] }), {
      humanTime: '300ms',
    })
    await expect(impatient.callTool(call)).rejects.toThrow(/timed out/)

    // The server tracks for a shorter time than the person is given, and is asked again.
    const brief = await notes({ clocks: { track: '50ms' } })
    const patient = await connect(brief.url, scriptedUi({ consentToOpen: ['open'] }), { humanTime: '3s' })
    await expect(patient.callTool(call)).rejects.toMatchObject({ status: 'expired' })
    expect(patient.received.filter(({ error }) => error?.code === -31_001).length).toBeGreaterThan(1)
  })

  test('refused on the page, is refused by the server, which says so to the model', async () => {
    const { url, assent } = await notes()
    const refuse = async (page: string) => void (await assent.answer(idIn(page), localPage, { action: 'decline' }))
    const client = await connect(url, scriptedUi({ consentToOpen: ['open'], open: refuse }))
    expect(await client.callTool({ name: 'nc_notes_list_notes' })).toMatchObject({
      isError: true,
      _meta: { 'assent/outcome': { status: 'declined' } },
    })
  })
})

/** A server of everything that can be asked for. */
const everything = (options: AskingOptions = {}) =>
  asking((server, { tool, plainTool, prompt, resource }) => {
    const name = z.object({ name: z.string().min(2), loud: z.boolean().default(true) })
    server.registerTool(
      'greet',
      { inputSchema: z.object({ word: z.string() }) },
      tool(async ({ word }: { word: string }, ask) => {
        const { name: who, loud } = await ask.form('Who are you?', name)
        return say(`${word} ${who} ${loud}`)
      }),
    )
    server.registerTool(
      'sign',
      {},
      plainTool(async (ask) => {
        await ask.confirm('Sign the contract?')
        return say('signed')
      }),
    )
    server.registerTool(
      'both',
      {},
      plainTool(async (ask) => {
        const [{ a }, key] = await Promise.all([
          ask.form('A?', z.object({ a: z.string() }), { key: 'a' }),
          ask.secret('Key', { type: 'key' }),
        ])
        return say(`${a} ${key.length}`)
      }),
    )
    server.registerTool(
      'charge',
      {},
      plainTool(async (ask) => say(`${(await ask.secret('Key', { type: 'key' })).length}`)),
    )
    server.registerPrompt(
      'plan',
      { argsSchema: z.object({ topic: z.string() }) },
      prompt(async ({ topic }: { topic: string }, ask) => {
        const { name: who } = await ask.form('For whom?', name)
        return { messages: [{ role: 'user', content: { type: 'text', text: `${topic} for ${who}` } }] }
      }),
    )
    server.registerResource(
      'note',
      'note://today',
      {},
      resource(async (uri, ask, _ctx) => {
        const { name: who } = await ask.form('Whose?', name)
        return { contents: [{ uri: uri.href, text: `of ${who}` }] }
      }),
    )
  }, options)

describe.each(everyClient)('every way to ask, through %s', (_name, connect) => {
  const ada = () => ({ action: 'accept', content: { name: 'Ada' } }) as const

  test('a form in a tool, a prompt and a resource', async () => {
    const { url } = await everything()
    const client = await connect(url, scriptedUi({ form: [ada] }))
    expect(textOf(await client.callTool({ name: 'greet', arguments: { word: 'Hello' } }))).toBe('Hello Ada true')
    const { messages } = await client.getPrompt({ name: 'plan', arguments: { topic: 'tea' } })
    expect(messages[0]?.content).toMatchObject({ text: 'tea for Ada' })
    expect((await client.readResource({ uri: 'note://today' })).contents[0]).toMatchObject({ text: 'of Ada' })
  })

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ] as const)('a %s is a result that says so', async (action, status) => {
    const { url } = await everything()
    const client = await connect(url, scriptedUi({ form: [() => ({ action })], consentToOpen: [action] }))
    for (const name of ['greet', 'charge']) {
      const result = await client.callTool({ name, arguments: { word: 'Hi' } })
      expect(result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status } } })
    }
  })

  test('a page, on which the person takes longer than a tool may', async () => {
    const { url, assent } = await everything({ clocks: { hold: '300ms' } })
    const answer = { action: 'accept', content: { apiKey: 'four' } } as const
    const open = async (page: string) => {
      setTimeout(() => void assent.answer(idIn(page), localPage, answer), 2_500)
    }
    const ui = scriptedUi({ consentToOpen: ['open'], open })
    const client = await connect(url, ui, { toolTime: '2s' })
    expect(textOf(await client.callTool({ name: 'charge' }))).toBe('4')
    expect(ui.shown.map(({ kind }) => kind)).toEqual(['consent', 'opened', 'waiting'])
    await until(() => ui.all('waiting')[0]?.request.signal.aborted === true)
  })

  test('a page that the person answered elsewhere is not opened', async () => {
    const { url, assent } = await everything()
    const answer = { action: 'accept', content: { apiKey: 'four' } } as const
    const answerInInbox = async (request: { url: string }) => {
      await assent.answer(idIn(request.url), localPage, answer)
      return 'opened' as const
    }
    const ui = scriptedUi({ consentToOpen: [answerInInbox] })
    const client = await connect(url, ui)
    expect(textOf(await client.callTool({ name: 'charge' }))).toBe('4')
    expect(ui.all('opened')).toEqual([])
  })

  test('a page that the person leaves', async () => {
    const { url } = await everything()
    const leave = () => sleep(100).then(() => 'cancel' as const)
    const client = await connect(url, scriptedUi({ consentToOpen: ['open'], waiting: [leave] }))
    const ended = await client.callTool({ name: 'charge' }).then(
      ({ _meta }) => (_meta as { 'assent/outcome': { status: string } })['assent/outcome'].status,
      ({ status }) => status,
    )
    expect(ended).toBe('cancelled')
  })

  test('a form and a page together', async () => {
    const { url, assent } = await everything()
    const answer = { action: 'accept', content: { apiKey: 'four' } } as const
    const open = async (page: string) => void (await assent.answer(idIn(page), localPage, answer))
    const form = () => ({ action: 'accept', content: { a: 'A' } }) as const
    const client = await connect(url, scriptedUi({ form: [form], consentToOpen: ['open'], open }))
    expect(textOf(await client.callTool({ name: 'both' }))).toBe('A 4')
  })

  test('twenty calls at once, each with its own question', async () => {
    const { url } = await everything()
    let n = 0
    const form = () => ({ action: 'accept', content: { name: `No ${n++}` } }) as const
    const client = await connect(url, scriptedUi({ form: [form] }))
    const calls = Array.from({ length: 20 }, (_, i) => client.callTool({ name: 'greet', arguments: { word: `${i}` } }))
    const said = (await Promise.all(calls)).map((result) => `${textOf(result)}`)
    expect(said.map((text) => text.split(' ')[0])).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`))
    expect(new Set(said.map((text) => text.split(' ')[2])).size).toBe(20)
  })
})

test('a page that is left on 2026-07-28 settles its question: nobody can finish it any more (E26-05)', async () => {
  const { url, assent } = await everything()
  const leave = () => sleep(100).then(() => 'cancel' as const)
  const ui = scriptedUi({ consentToOpen: ['open'], waiting: [leave] })
  const client = await connect2026(url, ui)
  expect(await client.callTool({ name: 'charge' })).toMatchObject({ isError: true })
  const [opened] = ui.all('opened')
  expect(await assent.get(idIn(`${opened?.url}`))).toMatchObject({
    state: { kind: 'answered', answer: { action: 'cancel' } },
  })
})
