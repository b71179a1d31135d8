import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { requireConnection } from '../../src/server/index.ts'
import { fakeKeyProvider, fakeProvider } from '../../src/testing/fake-provider.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { connect11, connect26, connectOld } from '../support/asking/asking-clients.ts'
import { anAssent } from '../support/assents.ts'
import { type AskingOptions, asking, local, say, until } from '../support/server/servers.ts'

const person = { participant: local, groups: [] }
const browser = 'the-browser'

/** A server whose tools need the account "notes", and the person who connects it. */
async function noting(options: AskingOptions = {}, lifetimeMs?: number) {
  const clock = fixedClock()
  const notes = fakeProvider({ clock, account: 'ada', ...(lifetimeMs !== undefined && { lifetimeMs }) })
  const providers = new Map([
    ['notes', notes.provider],
    ['stripe', fakeKeyProvider()],
  ])
  const assent = await anAssent({ providers, clock })
  const bad = new Set<string>()
  const served = await asking(
    (server, { plainTool, tool }) => {
      server.registerTool(
        'list_notes',
        {},
        plainTool(async (ask) => {
          let account = await ask.connection('notes', { scopes: ['notes.read'] })
          if (bad.has(account.accessToken)) {
            await account.rejected()
            account = await ask.connection('notes', { scopes: ['notes.read'] })
          }
          return say(`notes of ${account.account}, ${account.headers.Authorization?.length}`)
        }),
      )
      server.registerTool(
        'name_account',
        {},
        plainTool(async (ask) => {
          const { account, scopes } = await ask.connection('notes', { scopes: [] })
          return say(`${account}: ${scopes.length} scopes`)
        }),
      )
      server.registerTool(
        'write_note',
        { inputSchema: z.object({}) },
        tool(
          requireConnection('notes', { scopes: ['notes.write'] }, async (_args, _ask, _ctx, account) =>
            say(account.scopes.join(' ')),
          ),
        ),
      )
      server.registerTool(
        'charge',
        {},
        plainTool(async (ask) => say((await ask.connection('stripe')).accessToken.slice(-4))),
      )
      server.registerTool(
        'wrong',
        {},
        plainTool(async (ask) => say((await ask.connection('nowhere')).provider)),
      )
    },
    { assent, ...options },
  )

  /** The person opens the page of this url, goes to the provider, and says yes there. */
  async function connectAt(url: string, scopes?: readonly string[]) {
    const address = new URL(url)
    expect(address.pathname).toBe('/oauth/connect/notes')
    const elicitation = address.searchParams.get('elicitation_id') as never
    const begun = await assent.connections.begin({ provider: 'notes', person, browser, elicitation })
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    return assent.connections.complete({ person, browser, callback: notes.agree(begun.url, scopes) })
  }
  return { ...served, assent, notes, bad, clock, connectAt }
}

const clients = [
  ['2025-11-25 by SDK 1.32', connectOld],
  ['2025-11-25', connect11],
  ['2026-07-28', connect26],
] as const

describe('a tool that needs an account', () => {
  test.each(clients)(
    'asks for it by a page, goes on in the same call, and asks no second time (%s)',
    async (_, how) => {
      const { connect, connectAt } = await noting()
      const client = await connect(how)
      client.answers(({ url }) => {
        void connectAt(url as string)
        return { action: 'accept' }
      })
      expect((await client.call('list_notes')).text).toBe('notes of ada, 21')
      expect((await client.call('list_notes')).text).toBe('notes of ada, 21')
      expect(client.asked).toHaveLength(1)
      expect(client.asked[0]).toMatchObject({ mode: 'url', message: 'tested needs your account at Notes to go on.' })
      expect(client.received()).not.toContain('notes-access-1')
    },
  )

  test.each(clients)('asks for no scopes when it needs none (%s)', async (_, how) => {
    const { connect, connectAt, notes } = await noting()
    const client = await connect(how)
    client.answers(({ url }) => {
      void connectAt(url as string)
      return { action: 'accept' }
    })
    expect((await client.call('name_account')).text).toBe('ada: 0 scopes')
    expect(notes.all('begin').map(({ request }) => request.scopes)).toEqual([[]])
  })

  test.each(clients)('asks for the scopes it lacks, and then for no fewer than before (%s)', async (_, how) => {
    const { connect, connectAt, notes } = await noting()
    const client = await connect(how)
    client.answers(({ url }) => {
      void connectAt(url as string)
      return { action: 'accept' }
    })
    await client.call('list_notes')
    expect((await client.call('write_note')).text).toBe('notes.read notes.write')
    expect(client.asked).toHaveLength(2)
    expect(notes.all('begin')[1]?.request.scopes).toEqual(['notes.read', 'notes.write'])
  })

  test.each(clients)('is told when the person gives less than it needs (%s)', async (_, how) => {
    const { connect, connectAt } = await noting()
    const client = await connect(how)
    client.answers(({ url }) => {
      void connectAt(url as string, ['notes.other'])
      return { action: 'accept' }
    })
    expect((await client.call('list_notes')).outcome).toMatchObject({ status: 'declined' })
  })

  test.each(clients)(
    'whose credential the service no longer takes renews it, and else asks again (%s)',
    async (_, how) => {
      const { connect, connectAt, bad, notes } = await noting()
      const client = await connect(how)
      client.answers(({ url }) => {
        void connectAt(url as string)
        return { action: 'accept' }
      })
      await client.call('list_notes')
      bad.add('notes-access-1')
      expect((await client.call('list_notes')).text).toBe('notes of ada, 21')
      expect(notes.all('refresh')).toHaveLength(1)
      expect(client.asked).toHaveLength(1)

      bad.add('notes-access-2')
      expect((await client.call('list_notes')).text).toBe('notes of ada, 21')
      expect(client.asked).toHaveLength(2)
    },
  )

  test.each(clients)('ends with the no of a person who will not open the page (%s)', async (_, how) => {
    const { connect, assent } = await noting()
    const client = await connect(how)
    client.answers(() => ({ action: 'decline' }))
    const { isError, outcome } = await client.call('list_notes')
    expect({ isError, outcome }).toMatchObject({ isError: true, outcome: { status: 'declined' } })
    expect(await assent.connections.list(local)).toEqual([])
  })

  test('by -32042 finds the account when it is called again, however often it was asked for before', async () => {
    const { connect, connectAt, assent } = await noting({ urlBy: 'error' })
    const client = await connect(connect11)
    for (const round of [1, 2]) {
      const error = await client.call('list_notes').catch((error) => error)
      expect(error).toMatchObject({ code: -32_042 })
      await connectAt(error.data.elicitations[0].url)
      expect((await client.call('list_notes')).text).toMatch(/^notes of ada/)
      if (round === 1) await assent.connections.disconnect(local, 'notes')
    }
  })

  test('that uses a key asks on the same page, and the key never reaches the client', async () => {
    const { connect, assent } = await noting()
    const client = await connect(connect26)
    client.answers(({ url }) => {
      const elicitation = new URL(url as string).searchParams.get('elicitation_id') as never
      void assent.connections.keepKey({ provider: 'stripe', person, elicitation }, 'sk_live_planted_1234')
      return { action: 'accept' }
    })
    expect((await client.call('charge')).text).toBe('1234')
    expect(client.received()).not.toContain('planted')
  })

  test('that names a provider nobody set up fails, and says so', async () => {
    const { connect } = await noting()
    const client = await connect(connect26)
    expect(await client.call('wrong')).toMatchObject({ isError: true, text: 'This provider is not configured.' })
  })

  test.each(clients)('does nothing where the client cannot open pages (%s)', async (_, how) => {
    const { connect, assent } = await noting()
    const client = await connect(how, { elicitation: { form: {} } })
    const outcome = await client.call('list_notes').catch((error: { code: number }) => error)
    if ('code' in outcome) expect(outcome.code).toBe(-32_021)
    else expect(outcome.outcome).toMatchObject({ status: 'cannot-ask' })
    expect(await assent.listOpen(person, 10)).toEqual([])
  })
})

describe('tools for clients that cannot open pages', () => {
  const open = { accessTools: ['notes'], withLogin: true } as const

  test('give the link, say how it stands, and revoke', async () => {
    const { connect, assent, notes } = await noting({ accessTools: true })
    const client = await connect(connect11, { elicitation: undefined })
    const requested = await client.call('request_access', { provider: 'notes' })
    expect(requested.structuredContent).toMatchObject({ provider: 'notes', status: 'pending' })
    const { url, elicitationId } = requested.structuredContent as { url: string; elicitationId: string }
    expect(requested.text).toContain(url)
    const status = async (args: object) =>
      (
        (await client.call('check_access_status', { provider: 'notes', ...args })).structuredContent as {
          status: string
        }
      ).status
    expect(await status({})).toBe('not_connected')
    expect(await status({ elicitationId })).toBe('pending')

    const begun = await assent.connections.begin({
      provider: 'notes',
      person,
      browser,
      elicitation: elicitationId as never,
    })
    if (begun.kind !== 'begun') throw new Error(begun.kind)
    await assent.connections.complete({ person, browser, callback: notes.agree(begun.url) })
    expect(await status({})).toBe('connected')
    expect(await status({ elicitationId })).toBe('complete')
    expect((await client.call('request_access', { provider: 'notes' })).structuredContent).toMatchObject({
      status: 'connected',
    })
    expect((await client.call('list_notes')).text).toMatch(/^notes of ada/)

    await client.call('revoke_access', { provider: 'notes' })
    expect(await status({})).toBe('not_connected')
    expect(notes.all('revoke')).toHaveLength(1)
  })

  test('ask by the page where the client can open one', async () => {
    const { connect, connectAt } = await noting({ accessTools: true })
    const client = await connect(connect26)
    client.answers(({ url }) => {
      void connectAt(url as string)
      return { action: 'accept' }
    })
    expect((await client.call('request_access', { provider: 'notes' })).structuredContent).toMatchObject({
      status: 'connected',
      scopes: ['notes.read'],
    })
  })

  test("tell nobody how another person's request stands", async () => {
    const { connect } = await noting(open)
    const alices = await connect(connect11, { token: 'alice', elicitation: undefined })
    const bobs = await connect(connect11, { token: 'bob', elicitation: undefined })
    const { structuredContent } = await alices.call('request_access', { provider: 'notes' })
    const { elicitationId } = structuredContent as { elicitationId: string }
    const asBob = await bobs.call('check_access_status', { provider: 'notes', elicitationId })
    const unknown = await bobs.call('check_access_status', { provider: 'notes', elicitationId: 'never-was' })
    expect(asBob.text).toBe(unknown.text)
    expect(asBob.structuredContent).toEqual({ provider: 'notes', status: 'not_found' })
  })

  test.each([
    ['declined', 'decline'],
    ['cancelled', 'cancel'],
  ] as const)('say that the person %s', async (status, action) => {
    const { connect, assent } = await noting({ accessTools: true })
    const client = await connect(connect11, { elicitation: undefined })
    const { structuredContent } = await client.call('request_access', { provider: 'notes', scopes: ['notes.write'] })
    const { elicitationId } = structuredContent as { elicitationId: never }
    await assent.answer(elicitationId, { ...person, via: 'page' }, { action })
    const told = await client.call('check_access_status', { provider: 'notes', elicitationId })
    expect(told.structuredContent).toMatchObject({ status })
    expect(told.text).toBe('The person did not connect their account at notes.')
  })

  test.each([
    ['failed', 'could not be connected'],
    ['expired', 'ran out of time'],
  ])('say that it %s', async (status, words) => {
    const { connect, assent, clock } = await noting({ accessTools: true })
    const client = await connect(connect11, { elicitation: undefined })
    const { structuredContent } = await client.call('request_access', { provider: 'notes' })
    const { elicitationId } = structuredContent as { elicitationId: never }
    if (status === 'failed') await assent.fail(elicitationId, 'Notes is down.')
    else clock.advance(3_600_000)
    const told = await client.call('check_access_status', { provider: 'notes', elicitationId })
    expect(told.structuredContent).toMatchObject({ status })
    expect(told.text).toContain(words)
  })

  test('are there for known providers only, and only when they are wanted', async () => {
    await expect(noting({ accessTools: ['nowhere'] })).rejects.toMatchObject({ code: 'bad_argument' })
    const { connect } = await noting()
    const { tools } = (await (await connect(connect11)).listTools()) as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).not.toContain('request_access')
  })
})

test('a credential that ends is renewed unseen, once for all calls at a time', async () => {
  const { connect, connectAt, clock, notes } = await noting({}, 600_000)
  const client = await connect(connect26)
  client.answers(({ url }) => {
    void connectAt(url as string)
    return { action: 'accept' }
  })
  await client.call('list_notes')
  clock.advance(560_000)
  const texts = await Promise.all(Array.from({ length: 50 }, async () => (await client.call('list_notes')).text))
  expect(new Set(texts)).toEqual(new Set(['notes of ada, 21']))
  await until(() => notes.all('refresh').length === 1)
  expect(client.asked).toHaveLength(1)
})
