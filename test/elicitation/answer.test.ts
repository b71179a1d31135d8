import { describe, expect, test } from 'vitest'
import type {
  Answer,
  Answering,
  Ask,
  AssentErrorCode,
  Elicitation,
  ElicitationNews,
  ParticipantId,
} from '../../src/index.ts'
import { fixedClock } from '../../src/testing/index.ts'
import { alice, alicesClient, anAsk, aSecretAsk, bob, onPage, throughClient } from '../support/asks.ts'
import { anAssent, everyAssent } from '../support/assents.ts'

const main: Answer = { action: 'accept', content: { branch: 'main' } }
const byUrl = { mode: 'url', message: 'Go there', page: 'confirm' } as const

describe('an answer', () => {
  test('settles the question, and says who gave it and how', async () => {
    const assent = await anAssent({ clock: fixedClock('2026-03-01T12:00:00.000Z') })
    const { elicitation } = await assent.ask(anAsk())
    const answered = await assent.answer(elicitation.id, throughClient, main)
    expect(answered).toEqual({
      kind: 'kept',
      elicitation: {
        ...elicitation,
        version: 2,
        state: {
          kind: 'answered',
          answer: main,
          by: { participant: alice, via: 'client', client: 'claude-code' },
          at: new Date('2026-03-01T12:00:00.000Z'),
        },
      },
    })
    expect(await assent.get(elicitation.id)).toEqual(answered.kind === 'kept' && answered.elicitation)
  })

  test.each([[{ action: 'decline', reason: 'not today' }], [{ action: 'decline' }], [{ action: 'cancel' }]] as [
    Answer,
  ][])('of %j is kept as it is (E06-05)', async (given) => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    expect(await assent.answer(elicitation.id, onPage(alice), given)).toMatchObject({
      kind: 'kept',
      elicitation: { state: { answer: given } },
    })
  })

  test.each([
    ['a page elsewhere', { mode: 'url', message: 'Go there', url: 'https://example.com/pick' }],
    ['a page of its own', { mode: 'url', message: 'Go there', page: 'pick' }],
  ] as const)('on %s without a schema keeps the data it came with', async (_, question) => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk({ question }))
    const content = { city: 'Oslo', nights: 3, breakfast: true, guests: ['Ada', 'Bo'] }
    await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content })
    expect(await assent.getResult(alice, elicitation.id)).toMatchObject({ success: true, data: content })
  })

  test.each([
    ['nested data', { city: { name: 'Oslo' } }, 'city'],
    ['half a character', { city: '\ud800' }, 'city'],
    ['a name that is no text', { '\ud800': 'Oslo' }, '\ud800'],
    ['a list of numbers', { guests: [1] }, 'guests'],
    ['what is no number', { nights: Number.NaN }, 'nights'],
    ['too much', { city: 'x'.repeat(2_000_000) }, ''],
  ])('on a page without a schema is refused for %s', async (_, content, field) => {
    const assent = await anAssent()
    const question = { mode: 'url', message: 'Go there', url: 'https://example.com/pick' } as const
    const { elicitation } = await assent.ask(anAsk({ question }))
    const answered = await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content } as never)
    expect(answered).toEqual({ kind: 'invalid', errors: [{ field, message: expect.any(String) }] })
    expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
  })

  test('carries nothing that was not asked for', async () => {
    const assent = await anAssent()
    const answerTo = async (ask: Ask, given: Answer) => {
      const { elicitation } = await assent.ask(ask)
      const answered = await assent.answer(elicitation.id, onPage(alice), given)
      return (
        answered.kind === 'kept' && answered.elicitation.state.kind === 'answered' && answered.elicitation.state.answer
      )
    }
    const extra = { branch: 'main', admin: true }
    expect(await answerTo(anAsk(), { action: 'accept', content: extra })).toEqual(main)
    expect(await answerTo(anAsk({ question: byUrl }), { action: 'accept', content: extra })).toEqual({
      action: 'accept',
    })
    const withContent = { action: 'cancel', content: extra } as unknown as Answer
    expect(await answerTo(anAsk(), withContent)).toEqual({ action: 'cancel' })
  })

  test('that does not fit the form leaves the question open and names each field (E06-07)', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    for (const content of [{}, { branch: 7 }, undefined]) {
      const given = (content ? { action: 'accept', content } : { action: 'accept' }) as Answer
      const answered = await assent.answer(elicitation.id, onPage(alice), given)
      expect(answered).toMatchObject({
        kind: 'invalid',
        errors: [{ field: 'branch', message: expect.stringContaining('Branch') }],
      })
    }
    expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
    expect(await assent.answer(elicitation.id, onPage(alice), main)).toMatchObject({ kind: 'kept' })
  })

  test('over the limit is refused in words, and nothing is lost', async () => {
    const assent = await anAssent({ limits: { answerBytes: 30 } })
    const { elicitation } = await assent.ask(anAsk())
    const long = 'x'.repeat(40)
    const tooLong = { kind: 'invalid', errors: [{ field: '', message: 'An answer has at most 30 bytes.' }] }
    expect(await assent.answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch: long } })).toEqual(
      tooLong,
    )
    expect(await assent.answer(elicitation.id, onPage(alice), { action: 'decline', reason: long })).toEqual(tooLong)
    expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
  })

  test('that is not even JSON is refused in words', async () => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(anAsk())
    const circle: Record<string, unknown> = {}
    circle.branch = circle
    for (const content of [
      circle,
      { branch: 1n },
      'text',
      {
        branch: {
          toJSON: () => {
            throw new Error('no')
          },
        },
      },
    ]) {
      const given = { action: 'accept', content } as unknown as Answer
      expect(await assent.answer(elicitation.id, onPage(alice), given)).toMatchObject({ kind: 'invalid' })
    }
    const odd = { action: 'decline', reason: 7 } as unknown as Answer
    expect(await assent.answer(elicitation.id, onPage(alice), odd)).toMatchObject({
      elicitation: { state: { answer: { action: 'decline' } } },
    })
  })

  test('to a question that never was is told so', async () => {
    const assent = await anAssent()
    await expect(assent.answer('none' as never, onPage(alice), main)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('that comes too late learns what holds', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { elicitation } = await assent.ask(anAsk())
    clock.advance(630_000)
    expect(await assent.answer(elicitation.id, onPage(alice), main)).toMatchObject({
      kind: 'late',
      elicitation: { state: { kind: 'expired' } },
    })
  })

  test('that comes within the grace after expiry still counts', async () => {
    const clock = fixedClock()
    const assent = await anAssent({ clock })
    const { elicitation } = await assent.ask(anAsk())
    clock.advance(629_999)
    expect(await assent.answer(elicitation.id, onPage(alice), main)).toMatchObject({ kind: 'kept' })
  })

  test.each(everyAssent)(
    'given two hundred times at once is kept once, and all learn it ($name)',
    async ({ assent }) => {
      const one = await assent()
      const { elicitation } = await one.ask(anAsk())
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          one.answer(elicitation.id, onPage(alice), { action: 'accept', content: { branch: `b${index}` } }),
        ),
      )
      const won = answers.filter(({ kind }) => kind === 'kept')
      expect(won).toHaveLength(1)
      const [winner] = won as { elicitation: Elicitation }[]
      for (const answered of answers) expect(answered).toHaveProperty('elicitation', winner?.elicitation)
      expect(answers.filter(({ kind }) => kind === 'late')).toHaveLength(199)
    },
  )
})

describe('who may answer', () => {
  const ops: Ask = anAsk({ question: byUrl, purpose: 'approval', anyOf: [bob, 'group:ops'], through: 'page' })
  const anyone = 'carol@https://login.example.com' as ParticipantId
  const client = (client: string): Answering => ({ ...throughClient, client })
  const clientless: Answering = { participant: alice, groups: [], via: 'client' }
  const accept: Answer = { action: 'accept' }
  const mine = anAsk({ question: byUrl })
  const throughHub: Answering = { participant: alice, groups: [], via: 'hub' }
  const onPageOnly = anAsk({ question: byUrl, through: 'page' })
  const formToPage = anAsk({ anyOf: [alice, bob] })

  const cases: [string, Ask, Answering, Answer, 'kept' | AssentErrorCode][] = [
    ['the one who was asked', anAsk(), onPage(alice), main, 'kept'],
    ['someone else', anAsk(), onPage(bob), main, 'participant_mismatch'],
    ['someone else, to decline', anAsk(), onPage(bob), { action: 'decline' }, 'participant_mismatch'],
    ['a named approver', ops, onPage(bob), accept, 'kept'],
    ['someone of a named group', ops, onPage(anyone, ['ops']), accept, 'kept'],
    ['someone of another group', ops, onPage(anyone, ['dev']), accept, 'participant_mismatch'],
    ['a participant named like a group', ops, onPage('group:ops' as ParticipantId), accept, 'participant_mismatch'],
    ['the requester, where others must approve', ops, onPage(alice), accept, 'participant_mismatch'],
    [
      'the requester through their client, where others must approve',
      ops,
      throughClient,
      accept,
      'participant_mismatch',
    ],
    ['the client that asked', anAsk(), throughClient, main, 'kept'],
    ['another client of the same person (E11-30)', anAsk(), client('cursor'), main, 'channel_refused'],
    ['a client that does not say which', anAsk(), clientless, main, 'channel_refused'],
    [
      'another approver through a client of the same name',
      formToPage,
      { ...throughClient, participant: bob },
      main,
      'channel_refused',
    ],
    ['a client that agrees to open a page (E11-19)', mine, throughClient, accept, 'channel_refused'],
    ['a client that declines to open a page', mine, throughClient, { action: 'decline' }, 'kept'],
    ['a client that cancels', mine, throughClient, { action: 'cancel' }, 'kept'],
    ['the hub', mine, throughHub, accept, 'kept'],
    ['the hub, where a page is asked for', onPageOnly, throughHub, accept, 'channel_refused'],
    ['the hub, that declines where a page is asked for', onPageOnly, throughHub, { action: 'decline' }, 'kept'],
    [
      'the hub, with a secret',
      aSecretAsk(),
      throughHub,
      { action: 'accept', content: { apiKey: 'x' } },
      'channel_refused',
    ],
    [
      'a client, with a secret',
      aSecretAsk(),
      throughClient,
      { action: 'accept', content: { apiKey: 'x' } },
      'channel_refused',
    ],
  ]
  test.each(cases)('%s', async (_, ask, answering, given, expected) => {
    const assent = await anAssent()
    const { elicitation } = await assent.ask(ask)
    const answering_ = assent.answer(elicitation.id, answering, given)
    if (expected === 'kept') return expect(await answering_).toMatchObject({ kind: 'kept' })
    await expect(answering_).rejects.toMatchObject({ code: expected })
    expect((await assent.get(elicitation.id))?.state.kind).toBe('open')
    const { findings } = await assent.verifyAudit()
    expect(findings).toEqual([])
  })

  test('an attempt by someone else is news and audited, and tells them nothing of a settled answer', async () => {
    const news: ElicitationNews[] = []
    const assent = await anAssent()
    assent.events.listen((one) => news.push(one))
    const { elicitation } = await assent.ask(anAsk())
    await assent.answer(elicitation.id, onPage(alice), main)
    const attempt = assent.answer(elicitation.id, onPage(bob), main)
    await expect(attempt).rejects.toThrow('This question was asked of someone else.')
    await expect(attempt).rejects.not.toHaveProperty('elicitation')
    expect(news.at(-1)).toMatchObject({ kind: 'answer-refused', reason: 'participant_mismatch' })
    const lines: string[] = []
    for await (const line of assent.exportAudit()) lines.push(line)
    expect(lines.filter((line) => line.includes('answer-refused'))).toHaveLength(1)
  })
})

describe('a form meant for a page', () => {
  test('takes a decline from the client but never a yes', async () => {
    const assent = await anAssent()
    const ask = anAsk({ question: byUrl, through: 'page', requester: alicesClient })
    const { elicitation } = await assent.ask(ask)
    await expect(assent.answer(elicitation.id, throughClient, { action: 'accept' })).rejects.toMatchObject({
      code: 'channel_refused',
    })
    expect(await assent.answer(elicitation.id, throughClient, { action: 'decline' })).toMatchObject({ kind: 'kept' })
  })
})
