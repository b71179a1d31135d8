import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FormRequest } from '../../src/client/index.ts'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  aPage,
  type Fake2025,
  fake2025,
  type Message,
  of2025,
  sleep,
  textOf,
  textResult,
} from '../support/client/clients.ts'
import { promised, until } from '../support/server/servers.ts'

const form = (properties: Record<string, unknown>, required: string[] = []) => ({
  message: 'Tell us',
  requestedSchema: { type: 'object', properties, required },
})
const nameForm = form({ name: { type: 'string', minLength: 2 } }, ['name'])
const ada = () => ({ action: 'accept', content: { name: 'Ada' } }) as const

/** A server whose tool asks with these parameters and returns the answer. */
const pushing = (...asks: Record<string, unknown>[]) => {
  const answers: Message[] = []
  const server = fake2025(async (_params, server) => {
    for (const ask of asks) answers.push(await server.ask(ask))
    return textResult('ran')
  })
  return { server, answers }
}

describe.each(of2025)('what a server asks within a call, through %s', (_name, connect) => {
  test('both modes are declared when the client connects (E06-02, E11-08, E11-10)', async () => {
    const { server } = pushing()
    await connect(server.transport, scriptedUi())
    expect(server.declared()).toMatchObject({ elicitation: { form: {}, url: {} } })
  })

  test('a form is shown with the asker and the message, and sent when the person confirms (E06-03, E06-06, E11-04, E11-06, E11-13)', async () => {
    const { server, answers } = pushing(nameForm, { mode: 'form', ...nameForm })
    const ui = scriptedUi({ form: [ada] })
    const client = await connect(server.transport, ui, { server: 'my notes' })
    await client.callTool({ name: 'x' })

    for (const { request } of ui.all('form')) {
      expect(request).toMatchObject({ asker: { server: 'my notes' }, message: 'Tell us', filled: {}, errors: [] })
      expect(request.schema.properties.name).toMatchObject({ type: 'string', minLength: 2 })
    }
    const accepted = { action: 'accept', content: { name: 'Ada' } }
    expect(answers.map(({ result }) => result)).toEqual([accepted, accepted])
  })

  test('the asker is the gateway, with the name of the server behind it (E11-04)', async () => {
    const { server } = pushing({ ...nameForm, message: '[github] Which branch?' })
    const ui = scriptedUi({ form: [ada] })
    await (await connect(server.transport, ui, { server: 'gateway' })).callTool({ name: 'x' })
    expect(ui.all('form')[0]?.request).toMatchObject({
      asker: { server: 'gateway', origin: 'github' },
      message: 'Which branch?',
    })
  })

  test.each(['decline', 'cancel'] as const)('a %s is passed on unchanged (E06-06, E11-05)', async (action) => {
    const { server, answers } = pushing(nameForm, aPage('p1'))
    const ui = scriptedUi({ form: [() => ({ action })], consentToOpen: [action] })
    await (await connect(server.transport, ui)).callTool({ name: 'x' })
    expect(answers.map(({ result }) => result)).toEqual([{ action }, { action }])
    expect(ui.all('opened')).toEqual([])
  })

  test('defaults are filled in, and sent unless the person changes them (E11-16)', async () => {
    const { server, answers } = pushing(
      form({ a: { type: 'string', default: 'x' }, n: { type: 'integer', default: 3 } }),
    )
    const ui = scriptedUi({ form: [() => ({ action: 'accept', content: { n: 4 } })] })
    await (await connect(server.transport, ui)).callTool({ name: 'x' })
    expect(ui.all('form')[0]?.request.filled).toEqual({ a: 'x', n: 3 })
    expect(answers[0]?.result).toEqual({ action: 'accept', content: { a: 'x', n: 4 } })
  })

  test('invalid content is not sent: the person sees the problems and what they entered (E06-07, E11-40)', async () => {
    const { server, answers } = pushing(nameForm)
    const say = (content: Record<string, unknown>) => (_: FormRequest) => ({ action: 'accept', content }) as const
    const ui = scriptedUi({ form: [say({ name: 7 }), say({}), say({ name: 'A' }), ada] })
    await (await connect(server.transport, ui)).callTool({ name: 'x' })

    expect(ui.all('form').map(({ request }) => request.filled)).toEqual([{}, { name: 7 }, {}, { name: 'A' }])
    expect(ui.all('form').map(({ request }) => request.errors.length)).toEqual([0, 1, 1, 1])
    expect(answers.map(({ result }) => result)).toEqual([{ action: 'accept', content: { name: 'Ada' } }])
  })

  test.each([
    ['an unknown mode', { mode: 'voice', message: 'Say it' }],
    ['a form without a schema', { mode: 'form', message: 'Tell us' }],
    ['a form within a form', form({ a: { type: 'object', properties: {} } })],
    ['a page without an address', { mode: 'url', message: 'Sign', elicitationId: 'p1' }],
  ])('%s is answered with -32602 and not shown (E11-29)', async (_what, ask) => {
    const { server, answers } = pushing(ask)
    const ui = scriptedUi()
    await (await connect(server.transport, ui)).callTool({ name: 'x' })
    expect(answers[0]?.error?.code).toBe(-32_602)
    expect(ui.shown).toEqual([])
  })

  test('questions over the rate limit are cancelled without being shown (E06-08, E11-31)', async () => {
    const { server, answers } = pushing(...Array.from({ length: 6 }, () => nameForm))
    const ui = scriptedUi({ form: [ada] })
    await (await connect(server.transport, ui, { asksPerMinute: 2 })).callTool({ name: 'x' })
    expect(answers.map(({ result }) => result?.action)).toEqual(['accept', 'accept', ...Array(4).fill('cancel')])
    expect(ui.all('form')).toHaveLength(2)
  })

  test('one question is on screen at a time, whichever call asks', async () => {
    const server = fake2025(async ({ name }, server) => {
      const answers = await Promise.all([server.ask(nameForm), server.ask(aPage(`${name}`))])
      return textResult(answers.map(({ result }) => result?.action).join())
    })
    let onScreen = 0
    const alone = async () => {
      onScreen += 1
      expect(onScreen).toBe(1)
      await sleep(10)
      onScreen -= 1
    }
    const ui = scriptedUi({
      form: [() => alone().then(ada)],
      consentToOpen: [() => alone().then(() => 'decline' as const)],
    })
    const client = await connect(server.transport, ui)
    const results = await Promise.all(['a', 'b', 'c'].map((name) => client.callTool({ name })))
    expect(results.map(textOf)).toEqual(Array(3).fill('accept,decline'))
  })

  test('a question whose call has ended is removed from the screen', async () => {
    const asked = promised<Message>()
    const server = fake2025(async (_params, server) => {
      server.ask(nameForm).then(asked.keep)
      await sleep(50)
      return textResult('went on')
    })
    const ui = scriptedUi({ form: [() => new Promise(() => {})] })
    const client = await connect(server.transport, ui)
    expect(textOf(await client.callTool({ name: 'x' }))).toBe('went on')
    expect((await asked.promise).result).toEqual({ action: 'cancel' })
    expect(ui.all('form')[0]?.request.signal.aborted).toBe(true)
  })
})

describe.each(of2025)('a page that a server asks for within a call, through %s', (_name, connect) => {
  /** A page, and how often it was requested. */
  async function spiedPage() {
    const hits: string[] = []
    const spy = createServer((request, response) => {
      hits.push(`${request.method} ${request.url}`)
      response.end()
    })
    spy.on('connection', () => hits.push('connected'))
    await new Promise<void>((resolve) => spy.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void spy.close())
    return { hits, url: `http://127.0.0.1:${(spy.address() as AddressInfo).port}/sign?id=1` }
  }

  test('is not fetched before the person sees its full address and agrees (E11-07, E11-35, E11-36)', async () => {
    const { hits, url } = await spiedPage()
    const { server, answers } = pushing(aPage('p1', { url }))
    const asking = scriptedUi({
      consentToOpen: [
        async (request): Promise<'open'> => {
          await sleep(100)
          expect(hits).toEqual([])
          expect(request).toMatchObject({ url, host: new URL(url).host, asker: { server: 'tested' } })
          return 'open'
        },
      ],
    })
    const client = await connect(server.transport, asking)
    await client.callTool({ name: 'x' })

    expect(asking.shown.map(({ kind }) => kind)).toEqual(['consent', 'opened', 'waiting'])
    expect(asking.all('opened').map(({ url }) => url)).toEqual([url])
    // The UI opens the page: the client itself never requests it.
    expect(hits).toEqual([])
    expect(answers[0]?.result).toEqual({ action: 'accept' })
  })

  test('is accepted when it is opened, not when it is completed; the wait ends with the notice or the call (E11-19)', async () => {
    const serve = (end: (server: Fake2025) => void) =>
      fake2025(async (_params, server) => {
        const { result } = await server.ask(aPage('p1'))
        await sleep(50)
        end(server)
        await sleep(50)
        return textResult(`${result?.action}`)
      })
    const ends = [
      (server: Fake2025) => server.notify('notifications/elicitation/complete', { elicitationId: 'p1' }),
      () => {},
    ]
    for (const end of ends) {
      const ui = scriptedUi({ consentToOpen: ['open'] })
      const client = await connect(serve(end).transport, ui)
      expect(textOf(await client.callTool({ name: 'x' }))).toBe('accept')
      await until(() => ui.all('waiting')[0]?.request.signal.aborted === true)
    }
  })

  test('can be cancelled while the server waits for it: the call ends, and the server is notified (E11-22)', async () => {
    const server = fake2025(async (_params, server) => {
      await server.ask(aPage('p1'))
      await new Promise(() => {})
    })
    const leave = () => sleep(30).then(() => 'cancel' as const)
    const client = await connect(server.transport, scriptedUi({ consentToOpen: ['open'], waiting: [leave] }))
    await expect(client.callTool({ name: 'x' })).rejects.toMatchObject({ status: 'cancelled' })
    expect(client.sent.some(({ method }) => method === 'notifications/cancelled')).toBe(true)
  })

  test('that is cancelled ends neither of two calls, because it could belong to either', async () => {
    const server = fake2025(async ({ name }, server) => {
      if (name === 'page') await server.ask(aPage('p1'))
      await sleep(150)
      return textResult(`${name}`)
    })
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: ['cancel'] })
    const client = await connect(server.transport, ui)
    const results = await Promise.all(['page', 'plain'].map((name) => client.callTool({ name })))
    expect(results.map(textOf)).toEqual(['page', 'plain'])
  })
})
