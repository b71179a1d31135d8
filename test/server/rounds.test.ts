import { fromJsonSchema, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type Asks, createAssentServer } from '../../src/server/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { rawCall } from '../support/asking/asking-raw.ts'
import { everyAssent } from '../support/assents.ts'
import {
  type AskingOptions,
  asking,
  listening,
  localPage,
  nextAsked,
  promised,
  say,
} from '../support/server/servers.ts'

const a = z.object({ a: z.string() })
const b = z.object({ b: z.string() })
const accept = (content: Record<string, unknown> = {}) => ({ action: 'accept', content })

/** A server with one tool, `work`. */
const working = (work: (ask: Asks) => Promise<string>, options: AskingOptions = {}) =>
  asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask) => say(await work(ask))),
    )
  }, options)

describe('a handler that asks otherwise when it is walked again', () => {
  test('by place: the call ends in an error, and no answer goes to the wrong question (M26-22)', async () => {
    let walks = 0
    const got: unknown[] = []
    const { url } = await working(async (ask) => {
      walks += 1
      if (walks === 1) got.push(await ask.form('A?', a))
      got.push(await ask.form('B?', b))
      return 'done'
    })
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, {
      name: 'work',
      inputResponses: { 1: accept({ a: 'x', b: 'x' }) },
      requestState: first.result?.requestState,
    })
    expect(second.result).toMatchObject({ isError: true })
    expect(second.result?.content?.[0]?.text).toContain('Question "1" differs from the one')
    expect(got).toEqual([])
  })

  test('with keys of their own, questions may change places', async () => {
    let walks = 0
    const { url } = await working(async (ask) => {
      walks += 1
      const first = () => ask.form('A?', a, { key: 'a' })
      const second = () => ask.form('B?', b, { key: 'b' })
      const both = walks % 2 === 1 ? [first(), second()] : [second(), first()]
      return JSON.stringify(Object.assign({}, ...(await Promise.all(both))))
    })
    const { result } = await rawCall(url, { name: 'work' })
    expect(Object.keys(result?.inputRequests ?? {})).toEqual(['a', 'b'])
    const inputResponses = { a: accept({ a: '1' }), b: accept({ b: '2' }) }
    const done = await rawCall(url, { name: 'work', inputResponses, requestState: result?.requestState })
    expect(JSON.parse(done.result?.content?.[0]?.text ?? '')).toEqual({ a: '1', b: '2' })
  })

  test('a prompt’s is an error of the protocol', async () => {
    let walks = 0
    const { url } = await asking((server, { prompt }) => {
      server.registerPrompt(
        'plan',
        { argsSchema: fromJsonSchema({ type: 'object' }) },
        prompt(async (_args, ask) => {
          await ask.form(`${++walks}?`, a)
          return { messages: [] }
        }),
      )
    })
    const first = await rawCall(url, { method: 'prompts/get', name: 'plan' })
    const again = await rawCall(url, { method: 'prompts/get', name: 'plan', requestState: first.result?.requestState })
    expect(again.error).toMatchObject({ code: -32_603 })
  })
})

describe('a round', () => {
  test.each(everyAssent)('on $name, questions asked together go out together (M26-03)', async ({ assent }) => {
    const { url } = await working(
      async (ask) => {
        await Promise.all([
          ask.form('A?', a, { key: 'a' }),
          ask.url('Look', 'https://example.com/x', { key: 'page' }),
          ask.form('B?', b, { key: 'b' }),
        ])
        return 'done'
      },
      { assent: await assent() },
    )
    const { result } = await rawCall(url, { name: 'work' })
    expect(Object.keys(result?.inputRequests ?? {}).sort()).toEqual(['a', 'b', 'page'])
  })

  test.each(everyAssent)('on $name, a yes given beside an answer that does not fit is not lost', async ({ assent }) => {
    const { url } = await working(
      async (ask) => {
        const yes = ask.confirm('Sure?', { key: 'yes' })
        const [{ a: said }] = await Promise.all([ask.form('A?', a, { key: 'a' }), yes])
        return said
      },
      { assent: await assent() },
    )
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, {
      name: 'work',
      inputResponses: { yes: accept({ confirm: true }), a: accept({ a: 1 }) },
      requestState: first.result?.requestState,
    })
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(['a'])
    const third = await rawCall(url, {
      name: 'work',
      inputResponses: { a: accept({ a: 'fits' }) },
      requestState: second.result?.requestState,
    })
    expect(third.result?.content?.[0]?.text).toBe('fits')
  })

  test('asks again for what the client left out, and ignores what nobody asked (M26-19, M26-20)', async () => {
    const { url } = await working(async (ask) => {
      const both = await Promise.all([ask.form('A?', a, { key: 'a' }), ask.form('B?', b, { key: 'b' })])
      return JSON.stringify(both)
    })
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, {
      name: 'work',
      inputResponses: { b: accept({ b: 'y' }), c: accept({ c: 'z' }) },
      requestState: first.result?.requestState,
    })
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(['a'])
    const third = await rawCall(url, {
      name: 'work',
      inputResponses: { a: accept({ a: 'x' }) },
      requestState: second.result?.requestState,
    })
    expect(JSON.parse(third.result?.content?.[0]?.text ?? '')).toEqual([{ a: 'x' }, { b: 'y' }])
  })

  test('never puts a question on the wire but in its result, and never an id or -32042 (E26-02, E26-03, M26-01)', async () => {
    const { url } = await working(async (ask) => {
      await ask.url('Look', 'https://example.com/x')
      return 'done'
    })
    const reply = await rawCall(url, { name: 'work' })
    expect(reply.error).toBeUndefined()
    expect(reply.result?.inputRequests?.['1']).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Look', url: 'https://example.com/x' },
    })
  })

  test('what a person refused is not asked again when the handler goes another way', async () => {
    const { connect } = await working(async (ask) => {
      const { a: said } = await ask.form('A?', a).catch(() => ({ a: 'nothing' }))
      const { b: also } = await ask.form('B?', b)
      return `${said} ${also}`
    })
    for (const how of [connect11, connect26]) {
      const client = await connect(how)
      client.answers(({ message }) =>
        message === 'A?' ? { action: 'decline' } : { action: 'accept', content: { b: 'yes' } },
      )
      expect((await client.call('work')).text).toBe('nothing yes')
      expect(client.asked.map(({ message }) => message)).toEqual(['A?', 'B?'])
    }
  })

  test('long answers stay here, and the client carries a short state (M26-22)', async () => {
    const { url } = await working(async (ask) => {
      const { a: long } = await ask.form('A?', a)
      const { b: short } = await ask.form('B?', b)
      return `${long.length} ${short}`
    })
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, {
      name: 'work',
      inputResponses: { 1: accept({ a: 'x'.repeat(30_000) }) },
      requestState: first.result?.requestState,
    })
    expect(second.result?.requestState?.length).toBeLessThan(1_000)
    const third = await rawCall(url, {
      name: 'work',
      inputResponses: { 2: accept({ b: 'y' }) },
      requestState: second.result?.requestState,
    })
    expect(third.result?.content?.[0]?.text).toBe('30000 y')
  })

  test('a server of one’s own may be attached before anything is added to it', async () => {
    const { assent } = await working(async () => 'unused')
    const other = createAssentServer(assent, { name: 'other' })
    const serving = other.http(() => {
      const server = other.attach(new McpServer({ name: 'own', version: '1' }))
      server.registerTool(
        'work',
        {},
        other.plainTool(async (ask) => say((await ask.form('A?', a)).a)),
      )
      return server
    })
    onTestFinished(() => serving.close())
    const client = await connect26({ url: await listening(serving.node) })
    onTestFinished(() => client.close())
    client.answers(() => ({ action: 'accept', content: { a: 'mine' } }))
    expect((await client.call('work')).text).toBe('mine')
  })

  test('a handler may put the SDK’s own questions and keep a state of its own, which we wrap (M26-07, M26-15)', async () => {
    const { url, connect } = await asking((server) => {
      server.registerTool('own', {}, async (ctx) => {
        const state = ctx.mcpReq.requestState<string>()
        if (state === undefined) {
          const inputRequests = { q: inputRequired.elicit({ message: 'Q?', requestedSchema: a }) }
          return inputRequired({ inputRequests, requestState: 'mine' })
        }
        const given = ctx.mcpReq.inputResponses?.q as { content: { a: string } }
        return say(`${state} ${given.content.a}`)
      })
    })
    const first = await rawCall(url, { name: 'own' })
    expect(first.result?.requestState).not.toContain('mine')
    const client = await connect(connect26)
    client.answers(() => ({ action: 'accept', content: { a: 'x' } }))
    expect((await client.call('own')).text).toBe('mine x')
    const forged = await rawCall(url, { name: 'own', requestState: 'mine' })
    expect(forged.error).toMatchObject({ code: -32_602 })
  })

  test('a server that was not attached says so', async () => {
    const { connect } = await asking((server, other) => {
      server.registerTool('lost', {}, (ctx) => other.plainTool(async () => say('never'))({ ...ctx } as never) as never)
    })
    const client = await connect(connect26)
    expect((await client.call('lost')).text).toContain('This MCP server is not attached to Assent')
  })
})

describe('a page on 2026-07-28', () => {
  const signing = (hold: string, options: AskingOptions = {}) =>
    working(async (ask) => `signed ${(await ask.url('Sign', 'https://example.com/s')).action}`, {
      clocks: { hold },
      ...options,
    })
  const opened = { 1: { action: 'accept' } }

  test('accept is not completion: the retry is held, then rests with its state alone (E11-19, E26-04, M26-05)', async () => {
    const { url, assent } = await signing('30ms')
    const first = await rawCall(url, { name: 'work' })
    const held = await rawCall(url, {
      name: 'work',
      inputResponses: opened,
      requestState: first.result?.requestState,
    })
    expect(held.result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
    expect(held.result?.inputRequests).toBeUndefined()

    const again = await rawCall(url, { name: 'work', requestState: held.result?.requestState })
    expect(again.result?.inputRequests).toBeUndefined()
    expect(again.result?.resultType).toBe('input_required')
    const open = await assent.listOpen(localPage, 10)
    expect(open).toHaveLength(1)
    await assent.answer(open[0]?.id as never, localPage, { action: 'accept' })
    const done = await rawCall(url, { name: 'work', requestState: again.result?.requestState })
    expect(done.result?.content?.[0]?.text).toBe('signed accept')
  })

  test('a held retry ends as soon as the page is settled (E26-04)', async () => {
    const { url, assent } = await signing('10m')
    const asked = nextAsked(assent)
    const first = await rawCall(url, { name: 'work' })
    const { id } = await asked
    const holding = promised()
    const { wait } = assent
    const watched = Object.assign(assent, {
      wait: (...args: Parameters<typeof wait>) => {
        holding.keep()
        return wait(...args)
      },
    })
    const retry = rawCall(url, { name: 'work', inputResponses: opened, requestState: first.result?.requestState })
    await holding.promise
    await watched.answer(id, localPage, { action: 'accept' })
    expect((await retry).result?.content?.[0]?.text).toBe('signed accept')
  })

  test('a page whose time is over ends the call (M26-13)', async () => {
    const clock = fixedClock()
    const { url } = await signing('45s', { assentOptions: { clock }, clocks: { hold: '45s', state: '1h' } })
    const first = await rawCall(url, { name: 'work' })
    clock.advance(11 * 60_000)
    const retry = { name: 'work', inputResponses: opened, requestState: first.result?.requestState }
    const outcome = { status: 'expired', reason: 'expired' }
    expect((await rawCall(url, retry)).result).toMatchObject({ isError: true, _meta: { 'assent/outcome': outcome } })
  })

  test('a client that says nothing of the page is asked again, about the same page (M26-20)', async () => {
    const { url, assent } = await signing('10m')
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, { name: 'work', requestState: first.result?.requestState })
    expect(second.result?.inputRequests).toEqual(first.result?.inputRequests)
    expect(await assent.listOpen(localPage, 10)).toHaveLength(1)
  })

  test.each(['decline', 'cancel'] as const)('%s settles the question (E26-06)', async (action) => {
    const { url, assent } = await signing('10m')
    const asked = nextAsked(assent)
    const first = await rawCall(url, { name: 'work' })
    const inputResponses = { 1: { action } }
    const refused = await rawCall(url, { name: 'work', inputResponses, requestState: first.result?.requestState })
    const status = action === 'decline' ? 'declined' : 'cancelled'
    expect(refused.result).toMatchObject({ isError: true, _meta: { 'assent/outcome': { status } } })
    expect((await assent.get((await asked).id))?.state).toMatchObject({ kind: 'answered', answer: { action } })
  })

  test('a page beside a form: the form’s answer is not held up, and the person is sent to the page once', async () => {
    const { url, assent } = await working(
      async (ask) => {
        const [{ action }, { a: said }] = await Promise.all([
          ask.url('Sign', 'https://example.com/s', { key: 'page' }),
          ask.form('A?', a, { key: 'a' }),
        ])
        return `${action} ${said}`
      },
      { clocks: { hold: '10m' } },
    )
    const asked = nextAsked(assent)
    const first = await rawCall(url, { name: 'work' })
    const second = await rawCall(url, {
      name: 'work',
      inputResponses: { page: { action: 'accept' }, a: accept({ a: 7 }) },
      requestState: first.result?.requestState,
    })
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(['a'])
    const still = await rawCall(url, {
      name: 'work',
      inputResponses: { a: accept({ a: 8 }) },
      requestState: second.result?.requestState,
    })
    expect(Object.keys(still.result?.inputRequests ?? {})).toEqual(['a'])
    await assent.answer((await asked).id, localPage, { action: 'accept' })
    const third = await rawCall(url, {
      name: 'work',
      inputResponses: { a: accept({ a: 'x' }) },
      requestState: still.result?.requestState,
    })
    expect(third.result?.content?.[0]?.text).toBe('accept x')
  })

  test('a requester who goes away frees the waiter, and the question stays open (H26-11, M26-13)', async () => {
    const { url, assent } = await signing('10m')
    const first = await rawCall(url, { name: 'work' })
    const holding = promised<{ waiting: Promise<unknown> }>()
    const { wait } = assent
    Object.assign(assent, {
      wait: (...args: Parameters<typeof wait>) => {
        const waiting = wait(...args)
        holding.keep({ waiting })
        return waiting
      },
    })
    const away = new AbortController()
    const retry = rawCall(url, {
      name: 'work',
      inputResponses: opened,
      requestState: first.result?.requestState,
      signal: away.signal,
    })
    const gone = expect(retry).rejects.toThrow()
    const { waiting } = await holding.promise
    away.abort()
    await gone
    expect(await waiting).toMatchObject({ state: { kind: 'open' } })
    expect(await assent.listOpen(localPage, 10)).toHaveLength(1)
  })
})

describe('2026-07-28 says what it lacks', () => {
  test('before anything is kept or counted as asked, and counts it (B26-10, M26-12)', async () => {
    const { url, assent, fallbacks } = await working(async (ask) => {
      await ask.secret('Your service')
      return 'done'
    })
    const reply = await rawCall(url, { name: 'work', elicitation: { form: {} } })
    expect(reply.error).toMatchObject({
      code: -32_021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    })
    expect(await assent.listOpen(localPage, 10)).toEqual([])
    expect(fallbacks).toEqual(['url-undeclared'])
  })

  test('each request stands alone: what one declared does not count for the next (E26-01)', async () => {
    const { url } = await working(async (ask) => JSON.stringify(await ask.form('A?', a)))
    expect((await rawCall(url, { name: 'work' })).result?.resultType).toBe('input_required')
    expect((await rawCall(url, { name: 'work', elicitation: undefined })).error?.code).toBe(-32_021)
  })

  test('a client that can only be sent to pages fills in the form on one', async () => {
    const { url, assent, fallbacks } = await working(async (ask) => JSON.stringify(await ask.form('A?', a)))
    const { result } = await rawCall(url, { name: 'work', elicitation: { url: {} } })
    expect(result?.inputRequests).toMatchObject({ 1: { params: { mode: 'url' } } })
    expect(fallbacks).toEqual(['form-undeclared'])
    expect(await assent.listOpen(localPage, 10)).toMatchObject([{ question: { page: 'form' } }])
  })

  test('a quirk makes a declared mode count as undeclared on every revision', async () => {
    const { url, connect } = await working(async (ask) => JSON.stringify(await ask.form('A?', a)), {
      quirks: [{ name: 'odd', lacks: ['form'] }],
    })
    const info = { name: 'odd', version: '1.0.0' }
    for (const how of [connect06, connect11]) {
      const odd = await connect(how, { info, elicitation: { form: {} } })
      expect(await odd.call('work')).toMatchObject({ isError: true, outcome: { status: 'cannot-ask' } })
      expect(odd.asked).toEqual([])
    }
    const reply = await rawCall(url, { name: 'work', clientInfo: info, elicitation: { form: {} } })
    expect(reply.error).toMatchObject({ code: -32_021 })
    expect((await rawCall(url, { name: 'work' })).result?.resultType).toBe('input_required')
  })
})
