import { describe, expect, test } from 'vitest'
import type { Ask, Channel, Elicitation, ElicitationNews } from '../../src/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { alice, alicesClient, anAsk, aSecretAsk, bob, branchForm, onPage } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'

describe('asking', () => {
  test('keeps the question, open for ten minutes, to the one whose client asks', async () => {
    const clock = fixedClock('2026-03-01T12:00:00.000Z')
    const assent = await anAssent({ clock })
    const { elicitation, joined } = await assent.ask(anAsk({ metadata: { why: 'deploy' } }))

    expect(joined).toBe(false)
    expect(elicitation).toMatchObject({
      version: 1,
      purpose: 'input',
      state: { kind: 'open' },
      answerers: { anyOf: [alice], through: 'client' },
      metadata: { why: 'deploy' },
      createdAt: new Date('2026-03-01T12:00:00.000Z'),
      expiresAt: new Date('2026-03-01T12:10:00.000Z'),
    })
    expect(elicitation.id).toMatch(/^[0-9a-f-]{36}$/)
    expect(await assent.get(elicitation.id)).toEqual(elicitation)
  })

  test('makes room among questions whose time is over, before it refuses', async () => {
    const clock = fixedClock('2026-03-01T12:00:00.000Z')
    const assent = await anAssent({ clock, limits: { openPerRequester: 1 } })
    const { elicitation: first } = await assent.ask(anAsk({ type: 'first', expiresInMs: 1_000 }))
    clock.advance(60_000)
    const { elicitation: second } = await assent.ask(anAsk({ type: 'second' }))
    expect(second.state.kind).toBe('open')
    expect((await assent.get(first.id))?.state.kind).toBe('expired')
  })

  test('keeps an expiry of its own', async () => {
    const assent = await anAssent({ clock: fixedClock('2026-03-01T12:00:00.000Z') })
    const { elicitation } = await assent.ask(anAsk({ expiresInMs: 1_000 }))
    expect(elicitation.expiresAt).toEqual(new Date('2026-03-01T12:00:01.000Z'))
  })

  test('for a page of ours makes an address that holds the id and nothing else (E11-32)', async () => {
    const assent = await anAssent({ publicUrl: 'https://assent.example.com/' })
    const { elicitation } = await assent.ask(aSecretAsk())
    expect(elicitation.question).toMatchObject({
      mode: 'url',
      page: 'api-key',
      url: `https://assent.example.com/elicit/${elicitation.id}/api-key`,
      schema: { required: ['apiKey'] },
    })
  })

  test('for a confirmation needs no schema', async () => {
    const assent = await anAssent()
    const question = { mode: 'url', message: 'Delete it?', page: 'confirm' } as const
    const { elicitation } = await assent.ask(anAsk({ question, purpose: 'confirm' }))
    expect(elicitation.question).not.toHaveProperty('schema')
  })

  test('for an account names the provider in the address, and keeps what it must allow', async () => {
    const assent = await anAssent({ publicUrl: 'https://assent.example.com' })
    const connect = { provider: 'github', scopes: ['repo', 'read:user'] }
    const question = { mode: 'url', message: 'Connect GitHub', connect } as const
    const { elicitation } = await assent.ask(anAsk({ question, purpose: 'connect' }))
    expect(elicitation.question).toEqual({
      mode: 'url',
      message: 'Connect GitHub',
      page: 'connect',
      connect,
      url: `https://assent.example.com/oauth/connect/github?elicitation_id=${elicitation.id}`,
    })
  })

  test('keeps what it is about in full', async () => {
    const assent = await anAssent()
    const subject = { tool: 'deploy', arguments: { env: 'production' } }
    const { elicitation } = await assent.ask(anAsk({ subject, about: 'deploy production' }))
    expect(await assent.get(elicitation.id)).toMatchObject({ subject })
  })

  test('keeps the url of a page elsewhere as it is', async () => {
    const assent = await anAssent()
    const url = 'https://login.example.com/start?x=1'
    const { elicitation } = await assent.ask(anAsk({ question: { mode: 'url', message: 'Sign in there', url } }))
    expect(elicitation.question).toEqual({ mode: 'url', message: 'Sign in there', url })
  })

  test('tells the channels, and one that fails harms nothing but is heard of', async () => {
    const told: Elicitation[] = []
    const good: Channel = { name: 'good', tell: async (elicitation) => void told.push(elicitation) }
    const bad: Channel = { name: 'bad', tell: () => Promise.reject(new Error('down')) }
    const worse: Channel = {
      name: 'worse',
      tell() {
        throw new Error('at once')
      },
    }
    const news: ElicitationNews[] = []
    const assent = await anAssent({ channels: [worse, bad, good] })
    assent.events.listen((one) => news.push(one))

    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), { action: 'decline' })
    expect(told.map(({ state }) => state.kind)).toEqual(['open', 'answered'])
    const failures = ['channel-failed', 'channel-failed']
    expect(news.map(({ kind }) => kind)).toEqual(['asked', ...failures, 'settled', ...failures])
  })
})

describe('joining', () => {
  test.each(everyAssent)('the same question asked fifty times at once is one question ($name)', async ({ assent }) => {
    const one = await assent()
    const asked = await Promise.all(Array.from({ length: 50 }, () => one.ask(anAsk())))
    expect(new Set(asked.map(({ elicitation }) => elicitation.id)).size).toBe(1)
    expect(asked.filter(({ joined }) => !joined)).toHaveLength(1)
  })

  const differences: [string, Partial<Ask>][] = [
    ['another message', { question: { mode: 'form', message: 'Which tag?', schema: branchForm } }],
    [
      'another schema',
      { question: { mode: 'form', message: 'Which branch?', schema: { ...branchForm, required: [] } } },
    ],
    ['another purpose', { purpose: 'confirm' }],
    ['another type', { type: 'branch' }],
    ['another server', { origin: { server: 'gitlab' } }],
    ['another participant', { requester: { ...alicesClient, participant: bob } }],
    ['another client', { requester: { ...alicesClient, client: 'cursor' } }],
    ['another agent', { requester: { ...alicesClient, agents: ['researcher'] } }],
    ['other answerers', { anyOf: ['group:ops'] }],
    ['another thing it is about', { about: 'digest of a call' }],
    ['other metadata', { metadata: { a: 1 } }],
  ]
  test.each(differences)('%s is another question', async (_, difference) => {
    const assent = await anAssent()
    await assent.ask(anAsk())
    expect((await assent.ask(anAsk(difference))).joined).toBe(false)
  })

  test('what a client calls itself makes no difference', async () => {
    const assent = await anAssent()
    await assent.ask(anAsk())
    expect((await assent.ask(anAsk({ requester: { ...alicesClient, clientName: 'Other' } }))).joined).toBe(true)
  })

  test('an answered question is not joined', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), { action: 'cancel' })
    expect((await assent.ask(anAsk())).joined).toBe(false)
  })

  test('one whose time is over is closed and asked anew, also when nobody looked at it', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const first = await assent.ask(anAsk())
    clock.advance(3_600_000)
    const second = await assent.ask(anAsk())
    expect(second.joined).toBe(false)
    expect((await assent.get(first.elicitation.id))?.state.kind).toBe('expired')
  })

  test('one whose time is over and that others close at the same time is asked anew once', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    await assent.ask(anAsk())
    clock.advance(3_600_000)
    const again = await Promise.all([assent.ask(anAsk()), assent.ask(anAsk()), assent.ask(anAsk())])
    expect(again.filter(({ joined }) => !joined)).toHaveLength(1)
  })
})

describe('a question that must not be asked is refused before anything is kept', () => {
  const url = (text: string): Ask => anAsk({ question: { mode: 'url', message: 'Go there', url: text } })
  const page = (name: string): Ask => anAsk({ question: { mode: 'url', message: 'Go there', page: name } })
  const form = (schema: unknown, message = 'Fill in'): Ask => anAsk({ question: { mode: 'form', message, schema } })
  const connect = (provider: string, scopes: string[], purpose: Ask['purpose'] = 'connect'): Ask =>
    anAsk({ question: { mode: 'url', message: 'Connect', connect: { provider, scopes } }, ...(purpose && { purpose }) })
  const key = { type: 'object', properties: { api_key: { type: 'string' } } }

  const refused: [string, Ask, string][] = [
    ['without a message', form(branchForm, ' '), 'bad_question'],
    ['with a message over the limit', form(branchForm, 'x'.repeat(4_001)), 'bad_question'],
    ['with a type of odd letters', anAsk({ type: 'a b' }), 'bad_question'],
    ['that nobody may answer', anAsk({ anyOf: [] }), 'bad_question'],
    ['that expires at once', anAsk({ expiresInMs: 0 }), 'bad_question'],
    ['that expires never', anAsk({ expiresInMs: Number.NaN }), 'bad_question'],
    ['that stays open longer than allowed', anAsk({ expiresInMs: 31 * 86_400_000 }), 'bad_question'],
    ['with metadata over the limit', anAsk({ metadata: { x: 'x'.repeat(16_384) } }), 'bad_question'],
    ['about more than the limit', anAsk({ subject: { x: 'x'.repeat(262_144) } }), 'bad_question'],
    ['for an account, for another purpose', connect('github', ['repo'], 'input'), 'bad_question'],
    ['for an account at no provider', connect('../x', []), 'bad_question'],
    ['for an account with a scope that is two', connect('github', ['repo user']), 'bad_question'],
    ['for an account with scopes without end', connect('github', Array(65).fill('x')), 'bad_question'],
    ['for an account by another page', { ...page('form'), purpose: 'connect' }, 'bad_question'],
    ['for a secret by a form (E11-02)', anAsk({ purpose: 'secret' }), 'bad_question'],
    ['for a connection by a form', anAsk({ purpose: 'connect' }), 'bad_question'],
    ['by a form, to be answered on a page', anAsk({ through: 'page' }), 'bad_question'],
    ['with a schema that is none (E11-14)', form(undefined), 'form_refused'],
    ['with a form that asks for a key (E11-01)', form(key), 'form_asks_secret'],
    [
      'with a page that asks for a key, unsealed',
      anAsk({ question: { mode: 'url', message: 'Fill in', page: 'form', schema: key } }),
      'form_asks_secret',
    ],
    ['with a page of an odd name', page('../admin'), 'bad_question'],
    ['with a url that is none (E11-17)', url('/relative'), 'bad_question'],
    ['with a url of plain http (E11-34)', url('http://example.com/'), 'bad_question'],
    ['with a url of another kind', url('javascript:alert(1)'), 'bad_question'],
    ['with a url that holds a user', url('https://bob@example.com/'), 'bad_question'],
    ['with a url that holds a password', url('https://:pw@example.com/'), 'bad_question'],
    ['with half a character in it', form(branchForm, 'a\ud800'), 'bad_argument'],
  ]
  test.each(refused)('%s', async (_, ask, code) => {
    const assent = await anAssent()
    await expect(assent.ask(ask)).rejects.toMatchObject({ code })
    expect(await assent.listOpen({ participant: alice, groups: ['ops'] }, 10)).toEqual([])
  })

  test.each([
    'http://localhost:1/',
    'http://x.localhost/',
    'http://127.0.0.1:4180/',
    'http://[::1]/x',
    'https://example.com',
  ])('but %s is a url to send someone to', async (text) => {
    const assent = await anAssent()
    expect((await assent.ask(url(text))).elicitation.question).toMatchObject({ url: text })
  })

  test('a page may ask for a key where the answer is sealed', async () => {
    const assent = await anAssent()
    const question = { mode: 'url', message: 'Your key', page: 'form', schema: key } as const
    expect((await assent.ask(aSecretAsk({ question }))).elicitation.question).toMatchObject({ schema: key })
  })
})

describe('limits', () => {
  test.each(everyAssent)('a requester has at most so many questions open ($name)', async ({ assent }) => {
    const one = await assent({ limits: { openPerRequester: 3 } })
    const ask = (about: string) => one.ask(anAsk({ about }))
    const [first] = [await ask('1'), await ask('2'), await ask('3')]
    await expect(ask('4')).rejects.toMatchObject({ code: 'too_many_open', message: expect.stringContaining('3') })
    await one.answer(first.elicitation.id, onPage(alice), { action: 'cancel' })
    expect((await ask('4')).joined).toBe(false)
  })

  test.each(everyAssent)('all requesters of a participant share a limit ($name)', async ({ assent }) => {
    const one = await assent({ limits: { openPerRequester: 2, openPerParticipant: 3 } })
    const ask = (about: string, client: string) =>
      one.ask(anAsk({ about, requester: { participant: alice, client: `session-${client}` } }))
    const [first] = [await ask('1', 'a'), await ask('2', 'b'), await ask('3', 'c')]
    await expect(ask('4', 'd')).rejects.toMatchObject({ code: 'too_many_open', message: expect.stringContaining('3') })
    await one.answer(first.elicitation.id, onPage(alice), { action: 'cancel' })
    expect((await ask('4', 'd')).joined).toBe(false)
  })

  test('the limit of a participant is never less than that of a requester', async () => {
    const assent = await anAssent({ limits: { openPerRequester: 3, openPerParticipant: 1 } })
    for (const about of ['1', '2', '3']) await assent.ask(anAsk({ about }))
    await expect(assent.ask(anAsk({ about: '4' }))).rejects.toMatchObject({ message: expect.stringContaining('3') })
  })

  test('the limit is a hundred unless told otherwise', async () => {
    const assent = await anAssent()
    for (let n = 0; n < 100; n++) await assent.ask(anAsk({ about: `${n}` }))
    await expect(assent.ask(anAsk())).rejects.toMatchObject({ code: 'too_many_open' })
  })

  test('each limit can be set', async () => {
    const assent = await anAssent({ limits: { messageLength: 5, form: { fields: 1, options: 2, bytes: 100 } } })
    await expect(assent.ask(anAsk())).rejects.toMatchObject({
      code: 'bad_question',
      message: expect.stringContaining('5'),
    })
    const big = { type: 'object', properties: { a: { type: 'boolean' }, b: { type: 'boolean' } } }
    const question = { mode: 'form', message: 'Hm?', schema: big } as const
    await expect(assent.ask(anAsk({ question }))).rejects.toMatchObject({ code: 'form_refused' })
  })
})
