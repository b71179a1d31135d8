import type { ServerContext } from '@modelcontextprotocol/server'
import { describe, expect, test } from 'vitest'
import { type Asks, type ExplicitAsking, explicitAsking } from '../../src/server/index.ts'
import { connect06, connect11, connect26 } from '../support/asking/asking-clients.ts'
import { onPage } from '../support/asks.ts'
import { type AskingOptions, asking, localPage, participantOf, say, until } from '../support/server/servers.ts'

/** A server with one tool, `work`, that asks step by step. */
const working = (work: (steps: ExplicitAsking) => Promise<unknown>, options: AskingOptions = {}) =>
  asking((server, { plainTool }) => {
    server.registerTool(
      'work',
      {},
      plainTool(async (ask: Asks, ctx: ServerContext) => say(JSON.stringify(await work(explicitAsking(ctx, ask))))),
    )
  }, options)

const form = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] }

describe('createUrl and throwRequired', () => {
  test('send a 2025-11-25 client to a page by -32042; called again, the result is found by user and type (E11-23, E11-24)', async () => {
    const { assent, connect } = await working(async (steps) => {
      const known = await steps.findByUserAndType('local', 'api-key-stripe')
      if (known?.success) return { keyLength: String(known.data?.apiKey).length }
      const message = 'Enter your key'
      const { elicitationId, url } = await steps.createUrl({
        message,
        path: 'api-key',
        metadata: { type: 'api-key-stripe' },
      })
      return steps.throwRequired([{ mode: 'url', message, url, elicitationId }])
    })
    const client = await connect(connect11)
    const error = await client.call('work').catch((one) => one)
    const [elicitation] = error.data.elicitations
    expect(error.code).toBe(-32_042)
    expect(elicitation).toEqual({
      mode: 'url',
      message: 'Enter your key',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4180\/elicit\/[\w-]+\/api-key$/),
      elicitationId: expect.any(String),
    })
    expect(await assent.get(elicitation.elicitationId)).toMatchObject({ purpose: 'secret', type: 'api-key-stripe' })
    await assent.answer(elicitation.elicitationId, localPage, { action: 'accept', content: { apiKey: 'four' } })
    await until(() => client.completed.includes(elicitation.elicitationId))
    expect((await client.call('work')).text).toBe('{"keyLength":4}')
    expect(client.received()).not.toContain('"four"')
  })

  test('the author may tell the asking client, and only that one, that the person is done (E11-20)', async () => {
    const { connect } = await working(async (steps) => {
      const { elicitationId, completionNotifier } = await steps.createUrl({ message: 'Confirm', path: 'confirm' })
      await completionNotifier()
      return elicitationId
    })
    const [asker, other] = [await connect(connect11), await connect(connect11)]
    const { text } = await asker.call('work')
    await other.request('ping', {})
    expect(asker.completed).toEqual([JSON.parse(text)])
    expect(other.completed).toEqual([])
  })

  test.each([
    ['confirm', 'confirm'],
    ['terms', 'input'],
    ['api-key', 'secret'],
  ])('a page %s is for a %s', async (path, purpose) => {
    const { assent, connect } = await working((steps) => steps.createUrl({ message: 'Please', path }))
    const { elicitationId } = JSON.parse((await (await connect(connect11)).call('work')).text)
    expect(await assent.get(elicitationId)).toMatchObject({ purpose, question: { page: path } })
  })
})

test('isSupported says whether the client can open pages (E11-09)', async () => {
  const { connect } = await working(async (steps) => steps.isSupported())
  const said = async (how: typeof connect11, elicitation: Record<string, unknown> | undefined) =>
    (await (await connect(how, { elicitation })).call('work')).text
  expect(await said(connect11, { url: {} })).toBe('true')
  expect(await said(connect26, { form: {}, url: {} })).toBe('true')
  expect(await said(connect11, {})).toBe('false')
  expect(await said(connect06, { url: {} })).toBe('false')
  expect(await said(connect26, undefined)).toBe('false')
})

describe('results are one’s own', () => {
  test('getResult gives the participant’s own, and nothing of another’s (E11-25, E11-30)', async () => {
    let id = ''
    const { assent, connect } = await working((steps) => steps.getResult(id as never).then((one) => one ?? 'nothing'), {
      withLogin: true,
    })
    const alice = participantOf('alice')
    const { elicitation } = await assent.ask({
      question: { mode: 'url', message: 'Sign', url: 'https://example.com/s' },
      origin: { server: 'tested' },
      requester: { participant: alice, client: 'laptop' },
    })
    id = elicitation.id
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept' })
    expect((await (await connect(connect11, { token: 'bob' })).call('work')).text).toBe('"nothing"')
    const own = await (await connect(connect26, { token: 'alice' })).call('work')
    expect(JSON.parse(own.text)).toMatchObject({ success: true, action: 'accept' })
  })

  test('findByUserAndType refuses another user’s id, whatever the client says (E11-25, E11-39)', async () => {
    const alice = participantOf('alice')
    const { connect } = await working((steps) => steps.findByUserAndType(alice, 'k').then((one) => one ?? 'nothing'), {
      withLogin: true,
    })
    const bob = await (await connect(connect26, { token: 'bob' })).call('work')
    expect(bob).toMatchObject({ isError: true, text: 'Answers are found for the verified participant only.' })
    expect((await (await connect(connect26, { token: 'alice' })).call('work')).text).toBe('"nothing"')
  })
})

describe('elicitForm', () => {
  test.each([
    ['2025-06-18', connect06],
    ['2025-11-25', connect11],
    ['2026-07-28', connect26],
  ])('on %s, what the person did is a value (E06-05)', async (_revision, how) => {
    const { connect } = await working((steps) => steps.elicitForm({ message: 'A?', requestedSchema: form }))
    const client = await connect(how)
    client.answers(() => ({ action: 'accept', content: { a: 'x' } }))
    expect(JSON.parse((await client.call('work')).text)).toEqual({ action: 'accept', content: { a: 'x' } })
    for (const action of ['decline', 'cancel'] as const) {
      client.answers(() => ({ action }))
      expect(JSON.parse((await client.call('work')).text)).toEqual({ action })
    }
    client.answers(() => ({ action: 'accept', content: { a: 'far too long' } }))
    expect(await client.call('work')).toMatchObject({ isError: true, outcome: { status: 'invalid' } })
  })
})
