import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { scriptedUi } from '../../src/testing/index.ts'
import {
  type Call2026,
  connect2026,
  fake2026,
  inputRequired,
  sleep,
  textOf,
  textResult,
} from '../support/client/clients.ts'

const nameForm = {
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}
const page = { mode: 'url', message: 'Please sign', url: 'https://sign.example.com/1' }
const ada = () => ({ action: 'accept', content: { name: 'Ada' } }) as const

describe('a round of 2026-07-28', () => {
  test('is answered as a whole, with its state unchanged and a new id (M26-14, M26-15, M26-16)', async () => {
    const state = `${randomBytes(64).toString('base64')} {"a": 1}\u0000\u{1F512}\\"  `
    const calls: Call2026[] = []
    const url = await fake2026((call) => {
      calls.push(call)
      return call.inputResponses === undefined
        ? inputRequired({ one: nameForm, two: nameForm }, state)
        : textResult('hello')
    })
    const client = await connect2026(url, scriptedUi({ form: [ada] }))

    expect(textOf(await client.callTool({ name: 'greet', arguments: { loud: true } }))).toBe('hello')
    expect(calls.map(({ requestState }) => requestState)).toEqual([undefined, state])
    expect(Object.keys(calls[1]?.inputResponses ?? {})).toEqual(['one', 'two'])
    expect(calls[1]?.params).toMatchObject({ name: 'greet', arguments: { loud: true } })
    expect(calls[1]?.id).not.toBe(calls[0]?.id)
  })

  test('without a state is answered without one (M26-15)', async () => {
    const keys: string[][] = []
    const url = await fake2026(({ params, inputResponses }) => {
      keys.push(Object.keys(params))
      return inputResponses === undefined ? inputRequired({ one: nameForm }) : textResult('hello')
    })
    await (await connect2026(url, scriptedUi({ form: [ada] }))).callTool({ name: 'greet' })
    expect(keys[1]).toContain('inputResponses')
    expect(keys.flat()).not.toContain('requestState')
  })

  test('belongs to its own call: other calls carry nothing of it (M26-17)', async () => {
    const calls: Call2026[] = []
    const url = await fake2026((call) => {
      calls.push(call)
      if (call.name === 'plain') return textResult('plain')
      return call.inputResponses
        ? textResult(`${call.requestState}`)
        : inputRequired({ q: nameForm }, `of ${call.name}`)
    })
    const client = await connect2026(url, scriptedUi({ form: [() => sleep(20).then(ada)] }))

    const results = await Promise.all(['a', 'plain', 'b', 'plain', 'c'].map((name) => client.callTool({ name })))
    expect(results.map(textOf)).toEqual(['of a', 'plain', 'of b', 'plain', 'of c'])
    for (const { name, requestState, inputResponses } of calls) {
      if (name === 'plain') expect([requestState, inputResponses]).toEqual([undefined, undefined])
      else expect([undefined, `of ${name}`]).toContain(requestState)
    }
  })

  test('is never cached: a later read fetches again (M26-21)', async () => {
    let reads = 0
    const url = await fake2026(({ inputResponses, name }) => {
      if (inputResponses === undefined) return inputRequired({ q: nameForm }, 's')
      return { contents: [{ uri: name, text: `${++reads}` }], ttlMs: 60_000, cacheScope: 'private' }
    })
    const client = await connect2026(url, scriptedUi({ form: [ada] }))
    const read = async () => (await client.readResource({ uri: 'note://x' })).contents[0]
    expect([await read(), await read()]).toMatchObject([{ text: '1' }, { text: '2' }])
  })

  test('works for a tool with an output schema, and the final result is validated', async () => {
    const outputSchema = { type: 'object', properties: { metres: { type: 'number' } }, required: ['metres'] }
    const tools = ['good', 'bad'].map((name) => ({ name, inputSchema: { type: 'object' }, outputSchema }))
    const url = await fake2026(({ inputResponses, name }) => {
      if (inputResponses === undefined) return inputRequired({ q: nameForm })
      return { content: [], structuredContent: { metres: name === 'good' ? 3 : 'three' } }
    }, tools)
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
    const { withElicitation } = await import('../../src/client/index.ts')
    const sdk = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
    const client = withElicitation(sdk, scriptedUi({ form: [ada] }), { server: 'tested' })
    await sdk.connect(new StreamableHTTPClientTransport(url))
    await sdk.listTools()

    expect(await client.callTool({ name: 'good' })).toMatchObject({ structuredContent: { metres: 3 } })
    await expect(client.callTool({ name: 'bad' })).rejects.toThrow(/output schema/)
    await sdk.close()
  })

  test('with an unsupported input request ends the call before the person is asked', async () => {
    const ui = scriptedUi({ form: [ada] })
    const sampling = {
      resultType: 'input_required',
      inputRequests: { s: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } },
    }
    const asked: unknown[] = [sampling, inputRequired({ ok: nameForm, odd: { mode: 'voice', message: 'Say it' } })]
    for (const answer of asked) {
      const client = await connect2026(await fake2026(() => answer), ui)
      await expect(client.callTool({ name: 'x' })).rejects.toThrow()
    }
    expect(ui.shown).toEqual([])
  })

  test.each(['decline', 'cancel'] as const)('a %s is passed on unchanged, without content (E11-05)', async (action) => {
    const url = await fake2026(({ inputResponses }) =>
      inputResponses ? textResult(JSON.stringify(inputResponses)) : inputRequired({ form: nameForm, page }),
    )
    const ui = scriptedUi({ form: [() => ({ action })], consentToOpen: [action] })
    const client = await connect2026(url, ui)
    expect(JSON.parse(`${textOf(await client.callTool({ name: 'x' }))}`)).toEqual({
      form: { action },
      page: { action },
    })
    expect(ui.all('opened')).toEqual([])
  })

  test('a result of an unknown type is an error (B26-03)', async () => {
    const client = await connect2026(await fake2026(() => ({ resultType: 'odd', content: [] })), scriptedUi())
    await expect(client.callTool({ name: 'x' })).rejects.toThrow(/result/i)
  })
})

describe('a page of 2026-07-28', () => {
  test('is opened once although the server asks for it in each round; the person reports each time that they are done (E26-05)', async () => {
    const rounds: unknown[] = []
    const url = await fake2026(({ inputResponses }) => {
      rounds.push(inputResponses)
      return rounds.length > 4 ? textResult('signed') : inputRequired({ [`r${rounds.length}`]: page }, 's')
    })
    let words = 0
    const done = async () => {
      await sleep(30)
      words += 1
      return 'done' as const
    }
    const ui = scriptedUi({ consentToOpen: ['open'], waiting: [done, done, done, 'nothing'] })
    const client = await connect2026(url, ui)

    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    expect(rounds).toEqual([undefined, ...['r1', 'r2', 'r3', 'r4'].map((key) => ({ [key]: { action: 'accept' } }))])
    expect(ui.all('consent')).toHaveLength(1)
    expect(ui.all('opened').map(({ url }) => url)).toEqual([page.url])
    expect(words).toBe(3)
  })

  test('whose server does not hold the retry is retried ever more slowly', async () => {
    const at: number[] = []
    const url = await fake2026(({ inputResponses }) => {
      at.push(performance.now())
      if (inputResponses === undefined && at.length === 1) return inputRequired({ page }, '0')
      return at.length < 5 ? { resultType: 'input_required', requestState: `${at.length}` } : textResult('signed')
    })
    const ui = scriptedUi({ consentToOpen: ['open'] })
    const client = await connect2026(url, ui)

    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('signed')
    const pauses = at.slice(2).map((time, index) => time - (at[index + 1] as number))
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThan(240 * (index + 1))
    expect(client.requests('tools/call').map(({ params }) => params?.requestState)).toEqual([
      undefined,
      '0',
      '2',
      '3',
      '4',
    ])
    expect(ui.all('consent')).toHaveLength(1)
    expect(ui.all('waiting')[0]?.request.signal.aborted).toBe(true)
  })

  test('can be cancelled while its retry is held: the server gets the cancel with the other answers (E26-05)', async () => {
    const calls: Call2026[] = []
    const gone: string[] = []
    const url = await fake2026(async (call) => {
      calls.push(call)
      if (call.inputResponses === undefined) return inputRequired({ form: nameForm, page }, 'state')
      if (call.inputResponses.page?.action === 'cancel') return textResult('never mind')
      await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()))
      gone.push('held')
      return {}
    })
    const leave = () => sleep(100).then(() => 'cancel' as const)
    const client = await connect2026(url, scriptedUi({ form: [ada], consentToOpen: ['open'], waiting: [leave] }))

    expect(textOf(await client.callTool({ name: 'sign' }))).toBe('never mind')
    expect(calls.at(-1)).toMatchObject({
      requestState: 'state',
      inputResponses: { form: { action: 'accept', content: { name: 'Ada' } }, page: { action: 'cancel' } },
    })
    expect(gone).toEqual(['held'])
  })

  test('with a script or file address is declined without being shown (E11-36)', async () => {
    for (const address of ['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x']) {
      const url = await fake2026(({ inputResponses }) =>
        inputResponses
          ? textResult(`${inputResponses.page?.action}`)
          : inputRequired({ page: { ...page, url: address } }),
      )
      const ui = scriptedUi()
      const client = await connect2026(url, ui)
      const answer = await client.callTool({ name: 'sign' }).then(textOf, (error: Error) => error.message)
      expect(answer).toBe('decline')
      expect(ui.all('consent')).toEqual([])
      expect(ui.all('opened')).toEqual([])
    }
  })

  test('that is not completed in time ends the call; so does a caller who cancels, at any moment', async () => {
    const url = await fake2026(async ({ inputResponses, signal }) => {
      if (inputResponses === undefined) return inputRequired({ page }, 's')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      return {}
    })
    const ui = scriptedUi({ consentToOpen: ['open'] })
    const client = await connect2026(url, ui, { humanTime: '200ms' })
    await expect(client.callTool({ name: 'sign' })).rejects.toMatchObject({ status: 'expired' })

    const patient = await connect2026(url, ui)
    for (const ms of [0, 5, 50]) {
      const signal = AbortSignal.timeout(ms)
      await expect(patient.callTool({ name: 'sign' }, { signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    }
    await sleep(20)
    expect(ui.all('waiting').every(({ request }) => request.signal.aborted)).toBe(true)
  })
})
