import { describe, expect, test } from 'vitest'
import type { ConnectionDesk } from '../../src/connection/desk.ts'
import type { ConsentRequest, Provider } from '../../src/connection/provider.ts'
import type { ElicitationId } from '../../src/index.ts'
import { type FakeProvider, fakeKeyProvider } from '../../src/testing/index.ts'
import { alice, alicesClient, anAsk, bob, onPage } from '../support/asks.ts'
import { afterPut, alices, alicesBrowser, aPlace, back, hour, type Place, person, setOut } from './desks.ts'

/** The only request that the provider got. */
function onlyBegin(fake: FakeProvider): ConsentRequest {
  const [begun, ...more] = fake.all('begin')
  if (begun === undefined || more.length > 0) throw new Error('The provider was not asked once.')
  return begun.request
}

describe('beginning', () => {
  test('sends the person to the provider with a state, and stores the secrets sealed (S-05)', async () => {
    const place = await aPlace()
    const { connections, fake, desk, ask, audited } = place
    const { id } = await ask(['notes.read', 'notes.write'])
    const begun = await connections.begin(alices(id))
    const { state, verifier, nonce, scopes } = onlyBegin(fake)
    expect(begun).toMatchObject({ kind: 'begun', url: expect.stringContaining(`state=${state}`) })
    for (const secret of [state, verifier, nonce]) expect(secret).toMatch(/^[\w-]{43}$/)
    expect(new Set([state, verifier, nonce]).size).toBe(3)
    expect(scopes).toEqual(['notes.read', 'notes.write'])

    const flow = await desk.store.takeFlow(state)
    expect(flow).toMatchObject({
      participant: alice,
      provider: 'notes',
      browser: alicesBrowser,
      elicitation: id,
      scopes,
      redirectUri: 'https://assent.example.com/oauth/callback',
      createdAt: new Date('2026-01-01T00:00:00.000Z'),
      expiresAt: new Date('2026-01-01T00:10:00.000Z'),
    })
    expect(JSON.stringify(flow)).not.toContain(verifier)
    expect(JSON.stringify(flow)).not.toContain(nonce)
    expect(await audited()).toEqual([{ kind: 'connect-begun', about: id, data: { provider: 'notes', scopes } }])
  })

  test('stores the flow before it returns the address of the provider', async () => {
    const broken = { addFlow: () => Promise.reject(new Error('full')) }
    const { connections } = await aPlace({ desk: ({ store }) => ({ store: { ...store, ...broken } }) })
    await expect(connections.begin(alices())).rejects.toThrow('full')
  })

  test('asks for the scopes of the provider by default, and for those already held', async () => {
    const { connections, fake, ask, put } = await aPlace()
    await put({ scopes: ['notes.write'] })
    await connections.begin(alices())
    await connections.begin(alices((await ask(['notes.read'])).id))
    for (const { request } of fake.all('begin')) expect(request.scopes).toEqual(['notes.write', 'notes.read'])
  })

  test('asks for no scopes when the question names none, whatever the provider’s defaults are', async () => {
    const place = await aPlace()
    const { id } = await place.ask([])
    const callback = place.fake.agree(await setOut(place, id))
    expect(onlyBegin(place.fake).scopes).toEqual([])
    expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'connected' })
    expect(await place.kept()).toMatchObject({ scopes: [] })
  })

  test('at a provider that cannot be used fails the question with a plain message', async () => {
    const failed = { kind: 'failed', reason: 'no way: <b>', message: 'Notes is down.' } as const
    const { connections, assent, ask, audited } = await aPlace({ fake: { script: { begin: [failed] } } })
    const { id } = await ask()
    expect(await connections.begin(alices(id))).toEqual({ kind: 'failed', message: 'Notes is down.' })
    expect((await assent.get(id))?.state).toMatchObject({ kind: 'failed', reason: 'Notes is down.' })
    expect(await connections.begin(alices())).toEqual({ kind: 'failed', message: 'Notes is down.' })
    expect(await audited()).toMatchObject([
      { kind: 'connect-failed', about: id, data: { reason: 'other' } },
      { kind: 'connect-failed', data: { reason: 'other' } },
    ])
  })

  test('is refused for a provider that is not configured, and for one that takes keys', async () => {
    const { connections } = await aPlace()
    const begin = (provider: string) => connections.begin({ ...alices(), provider })
    await expect(begin('nowhere')).rejects.toMatchObject({ code: 'provider_unknown' })
    await expect(begin('stripe')).rejects.toMatchObject({ code: 'bad_argument' })
  })

  test('for a question that is settled or expired is late', async () => {
    const { connections, assent, ask, clock, fake } = await aPlace()
    const { id } = await ask()
    await assent.answer(id, onPage(alice), { action: 'decline' })
    expect(await connections.begin(alices(id))).toMatchObject({
      kind: 'late',
      elicitation: { state: { kind: 'answered' } },
    })
    const second = await ask()
    clock.advance(599_999)
    expect(await connections.begin(alices(second.id))).toMatchObject({ kind: 'begun' })
    clock.advance(1)
    expect(await connections.begin(alices(second.id))).toMatchObject({
      kind: 'late',
      elicitation: { state: { kind: 'expired' } },
    })
    expect(fake.all('begin')).toHaveLength(1)
  })
})

describe('a question that is not one for this person and provider', () => {
  const byUrl = { mode: 'url', message: 'Connect', connect: { provider: 'notes', scopes: [] } } as const
  const keyUrl = { ...byUrl, connect: { provider: 'stripe', scopes: [] } }
  const cases: [string, (place: Place) => Promise<ElicitationId>, string][] = [
    ['never was', async () => 'none' as ElicitationId, 'not_found'],
    ['is a form', async ({ assent }) => (await assent.ask(anAsk())).elicitation.id, 'not_found'],
    [
      'is a page of another purpose',
      async ({ assent }) =>
        (await assent.ask(anAsk({ question: { mode: 'url', message: 'Sure?', page: 'confirm' }, purpose: 'confirm' })))
          .elicitation.id,
      'not_found',
    ],
    [
      'names another provider',
      async ({ assent }) => (await assent.ask(anAsk({ question: keyUrl, purpose: 'connect' }))).elicitation.id,
      'not_found',
    ],
    [
      'is bob’s',
      async ({ assent }) =>
        (
          await assent.ask(
            anAsk({ question: byUrl, purpose: 'connect', requester: { ...alicesClient, participant: bob } }),
          )
        ).elicitation.id,
      'participant_mismatch',
    ],
    [
      'is bob’s, though alice may answer it',
      async ({ assent }) =>
        (
          await assent.ask(
            anAsk({
              question: byUrl,
              purpose: 'connect',
              requester: { ...alicesClient, participant: bob },
              anyOf: [alice],
            }),
          )
        ).elicitation.id,
      'participant_mismatch',
    ],
    [
      'is alice’s, though only bob may answer it',
      async ({ assent }) =>
        (await assent.ask(anAsk({ question: byUrl, purpose: 'connect', anyOf: [bob] }))).elicitation.id,
      'participant_mismatch',
    ],
  ]
  test.each(cases)('%s: no flow begins', async (_, asking, code) => {
    const place = await aPlace()
    const id = await asking(place)
    await expect(place.connections.begin(alices(id))).rejects.toMatchObject({ code })
    expect(place.fake.calls).toEqual([])
    const refusals =
      code === 'not_found' ? [] : [{ kind: 'connect-refused', about: id, data: { provider: 'notes', reason: code } }]
    expect(await place.audited()).toEqual(refusals)
  })
})

describe('returning from the provider', () => {
  test('with a yes stores the tokens sealed, settles the question and names the account', async () => {
    const place = await aPlace()
    const { connections, fake, assent, ask, kept, audited } = place
    const { id } = await ask()
    const callback = fake.agree(await setOut(place, id))
    const completed = await connections.complete(back(callback))
    expect(completed).toMatchObject({ kind: 'connected', provider: { name: 'notes' }, elicitation: { id } })
    expect((await assent.get(id))?.state).toMatchObject({
      kind: 'answered',
      answer: { action: 'accept' },
      by: { participant: alice, via: 'page' },
    })
    expect(await kept()).toMatchObject({
      version: 1,
      participant: alice,
      scopes: ['notes.read'],
      standing: 'good',
      renewable: true,
      obtained: { by: 'consent' },
      account: 'alice@notes.example.com',
      elicitation: id,
      expiresAt: new Date('2026-01-01T01:00:00.000Z'),
    })
    expect(await connections.access(alice, 'notes')).toMatchObject({ kind: 'ready', secret: 'notes-access-1' })
    expect(await audited()).toMatchObject([
      { kind: 'connect-begun' },
      { kind: 'connected', about: id, data: { provider: 'notes', scopes: ['notes.read'], by: 'consent' } },
    ])
    const everything = await place.everythingKept()
    for (const secret of ['notes-access-1', 'notes-refresh-1', callback.searchParams.get('code') as string])
      expect(everything).not.toContain(secret)
    expect(fake.all('complete')).toEqual([{ kind: 'complete', request: onlyBegin(fake), callback }])
    expect(JSON.stringify(await audited())).not.toContain('alice@notes')
  })

  test('connects without a question, in place of an earlier connection', async () => {
    const place = await aPlace({ fake: { lifetimeMs: undefined as never } })
    const before = await place.put({ standing: 'refused' })
    const completed = await place.connections.complete(back(place.fake.agree(await setOut(place))))
    expect(completed).toEqual({ kind: 'connected', provider: place.fake.provider })
    const after = await place.kept()
    expect(after?.id).not.toBe(before.id)
    expect(after).not.toHaveProperty('expiresAt')
    expect(after).not.toHaveProperty('elicitation')
    expect(place.fake.all('revoke')).toEqual([])
  })

  test('with fewer scopes than asked for stores the connection, and the question counts as declined', async () => {
    const place = await aPlace()
    const { id } = await place.ask(['notes.read', 'notes.write'])
    const completed = await place.connections.complete(back(place.fake.agree(await setOut(place, id), ['notes.read'])))
    expect(completed).toMatchObject({ kind: 'too-little', missing: ['notes.write'] })
    expect((await place.assent.get(id))?.state).toMatchObject({
      answer: { action: 'decline', reason: expect.any(String) },
    })
    expect(await place.kept()).toMatchObject({ scopes: ['notes.read'], standing: 'good' })
    expect(await place.audited()).toMatchObject([{}, { kind: 'connected', data: { missing: ['notes.write'] } }])
  })

  test('without the scopes held before, but with those asked for, is connected', async () => {
    const place = await aPlace()
    await place.put({ scopes: ['notes.write'] })
    const { id } = await place.ask()
    const completed = await place.connections.complete(back(place.fake.agree(await setOut(place, id), ['notes.read'])))
    expect(completed).toMatchObject({ kind: 'connected' })
  })

  test('with too few scopes is declined also if the reason is longer than allowed', async () => {
    const place = await aPlace({ limits: { answerBytes: 10 } })
    const { id } = await place.ask(['notes.read', 'notes.write'])
    await place.connections.complete(back(place.fake.agree(await setOut(place, id), [])))
    expect((await place.assent.get(id))?.state).toMatchObject({ answer: { action: 'decline' } })
  })

  test.each([true, false])('with a no is denied, and nothing is stored (asked: %s)', async (isAsked) => {
    const place = await aPlace()
    const id = isAsked ? (await place.ask()).id : undefined
    const completed = await place.connections.complete(back(place.fake.deny(await setOut(place, id))))
    expect(completed).toMatchObject({
      kind: 'denied',
      ...(id && { elicitation: { state: { answer: { action: 'decline' } } } }),
    })
    expect(await place.kept()).toBeUndefined()
    expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-denied', data: { provider: 'notes' } })
  })

  test.each([true, false])('with a failure fails with a plain message (asked: %s)', async (isAsked) => {
    const failed = { kind: 'failed', reason: 'server_error', message: 'Notes had a problem.' } as const
    const place = await aPlace({ fake: { script: { complete: [failed] } } })
    const id = isAsked ? (await place.ask()).id : undefined
    const completed = await place.connections.complete(back(place.fake.agree(await setOut(place, id))))
    expect(completed).toMatchObject({
      kind: 'failed',
      message: 'Notes had a problem.',
      ...(id && { elicitation: { state: { kind: 'failed', reason: 'Notes had a problem.' } } }),
    })
    expect(await place.kept()).toBeUndefined()
    expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-failed', data: { reason: 'server_error' } })
  })

  test.each([true, false])(
    'from a provider that was removed meanwhile fails the question (asked: %s)',
    async (isAsked) => {
      const providers = new Map<string, Provider>()
      const place = await aPlace({ desk: () => ({ providers }) })
      providers.set('notes', place.fake.provider)
      const id = isAsked ? (await place.ask()).id : undefined
      const callback = place.fake.agree(await setOut(place, id))
      providers.set('notes', fakeKeyProvider({ name: 'notes' }))
      await expect(place.connections.complete(back(callback))).rejects.toMatchObject({ code: 'provider_unknown' })
      if (id) expect((await place.assent.get(id))?.state.kind).toBe('failed')
      expect((await place.audited()).at(-1)).toMatchObject({
        kind: 'connect-failed',
        data: { reason: 'provider_unknown' },
      })
    },
  )

  test('for a question that was deleted meanwhile stores nothing', async () => {
    let gone = false
    const questions = ({ questions }: ConnectionDesk): Partial<ConnectionDesk> => ({
      questions: {
        get: async (id) => (gone ? undefined : questions.get(id)),
        answer: (...given) => questions.answer(...given),
        fail: (...given) => questions.fail(...given),
      },
    })
    const place = await aPlace({ desk: questions })
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    gone = true
    await expect(place.connections.complete(back(callback))).rejects.toMatchObject({ code: 'not_found' })
    expect(place.fake.all('complete')).toEqual([])
    expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-refused', data: { reason: 'not_found' } })
  })
})

describe('an attack', () => {
  const other = (state: string) => {
    const callback = new URL('https://assent.example.com/oauth/callback?code=x')
    for (const one of state.split(' ')) callback.searchParams.append('state', one)
    return callback
  }

  async function refusedAs(place: Place, why: string, id: ElicitationId) {
    expect(await place.kept()).toBeUndefined()
    expect(await place.desk.store.get(bob, 'notes')).toBeUndefined()
    expect(place.fake.all('complete')).toEqual([])
    expect((await place.assent.get(id))?.state.kind).toBe('open')
    expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-refused', data: { reason: why } })
  }

  test('a callback of alice’s flow in bob’s browser stores nothing', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    const attempt = { person: person(bob), browser: 'digest of the cookie of bob', callback }
    expect(await place.connections.complete(attempt)).toEqual({ kind: 'refused', why: 'other-browser' })
    await refusedAs(place, 'other-browser', id)
    expect(await place.connections.complete(back(callback))).toEqual({ kind: 'refused', why: 'unknown-state' })
  })

  test('bob, signed in to the browser where alice began, gets nothing of hers', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    const attempt = { ...back(callback), person: person(bob) }
    expect(await place.connections.complete(attempt)).toEqual({ kind: 'refused', why: 'other-person' })
    await refusedAs(place, 'other-person', id)
  })

  test('a callback after the time limit stores nothing (S-05)', async () => {
    const place = await aPlace({ desk: () => ({ browserFlowMs: 1_000 }) })
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    place.clock.advance(1_000)
    expect(await place.connections.complete(back(callback))).toEqual({ kind: 'refused', why: 'expired' })
    await refusedAs(place, 'expired', id)
  })

  test.each(['', 'x'.repeat(43), 'short', 'x'.repeat(100_000), `${'x'.repeat(43)} ${'y'.repeat(43)}`])(
    'an unknown state opens nothing (%#, S-05)',
    async (state) => {
      const place = await aPlace()
      const { id } = await place.ask()
      const callback = state === '' ? new URL('https://assent.example.com/oauth/callback') : other(state)
      expect(await place.connections.complete(back(callback))).toEqual({ kind: 'refused', why: 'unknown-state' })
      await refusedAs(place, 'unknown-state', id)
    },
  )

  test('a second state beside the right one opens nothing', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    callback.searchParams.append('state', 'y'.repeat(43))
    expect(await place.connections.complete(back(callback))).toEqual({ kind: 'refused', why: 'unknown-state' })
    await refusedAs(place, 'unknown-state', id)
  })

  test('a callback sent twenty times at once is used once (S-05)', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    const ends = await Promise.all(Array.from({ length: 20 }, () => place.connections.complete(back(callback))))
    expect(ends.filter(({ kind }) => kind === 'connected')).toHaveLength(1)
    expect(ends.filter(({ kind }) => kind === 'refused')).toHaveLength(19)
    expect(place.fake.all('complete')).toHaveLength(1)
  })

  test('a code of another login, injected into alice’s flow, stores nothing', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const mallorys = place.fake.agree(await setOut(place))
    const callback = place.fake.agree(await setOut(place, id))
    callback.searchParams.set('code', mallorys.searchParams.get('code') as string)
    expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'failed' })
    expect(await place.kept()).toBeUndefined()
  })

  test('someone who is no longer among those asked stores nothing', async () => {
    const place = await aPlace()
    const question = { mode: 'url', message: 'Connect', connect: { provider: 'notes', scopes: [] } } as const
    const { elicitation } = await place.assent.ask(anAsk({ question, purpose: 'connect', anyOf: ['group:ops'] }))
    const begun = await place.connections.begin({ ...alices(elicitation.id), person: person(alice, ['ops']) })
    const callback = place.fake.agree(begun.kind === 'begun' ? begun.url : '')
    await expect(place.connections.complete(back(callback))).rejects.toMatchObject({ code: 'participant_mismatch' })
    await refusedAs(place, 'participant_mismatch', elicitation.id)
  })
})

describe('a question that was settled while the person was away', () => {
  const nothing = async () => {}
  /** The provider answers as usual, after something else has happened. */
  const first = (happening: () => Promise<unknown>) => async () => {
    await happening()
    return 'as-usual' as const
  }

  test('before they returned: no code is used', async () => {
    const place = await aPlace()
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    await place.assent.answer(id, onPage(alice), { action: 'decline' })
    expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'late', elicitation: { id } })
    expect(place.fake.all('complete')).toEqual([])
    expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-refused', data: { reason: 'late' } })
  })

  test.each([
    ['the code is exchanged', false],
    ['the connection is stored', true],
  ])('while %s: the older connection stays, and a new one is revoked', async (_, atPut) => {
    for (const hasOlder of [true, false]) {
      let settle = async () => {}
      const place = await aPlace({
        fake: { script: { complete: [first(() => (atPut ? nothing() : settle()))] } },
        desk: afterPut(() => (atPut ? settle() : nothing())),
      })
      if (hasOlder) await place.put({ scopes: ['older'] })
      const { id } = await place.ask()
      const callback = place.fake.agree(await setOut(place, id))
      settle = async () => void (await place.assent.answer(id, onPage(alice), { action: 'decline' }))
      expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'late', elicitation: { id } })
      expect((await place.audited()).at(-1)).toMatchObject({ kind: 'connect-refused', data: { reason: 'late' } })
      expect(place.fake.all('revoke')).toHaveLength(hasOlder ? 0 : 1)
      expect((await place.audited()).some(({ kind }) => kind === 'connected')).toBe(atPut)
      if (!hasOlder) expect(await place.kept()).toBeUndefined()
      else expect(await place.connections.access(alice, 'notes', ['older'])).toMatchObject({ secret: 'old-access' })
    }
  })

  test('a denial that comes late is reported as late', async () => {
    let settle = async () => {}
    const place = await aPlace({ fake: { script: { complete: [first(() => settle())] } } })
    const { id } = await place.ask()
    const callback = place.fake.deny(await setOut(place, id))
    settle = async () => void (await place.assent.answer(id, onPage(alice), { action: 'cancel' }))
    expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'late' })
  })

  test.each(['renewed', 'replaced', 'gone'])('a connection that was %s meanwhile is not overwritten', async (what) => {
    let meanwhile = async () => {}
    const place = await aPlace({ desk: afterPut(() => meanwhile()) })
    const older = await place.put({ scopes: ['older'], refreshingUntil: new Date(0) })
    const { id } = await place.ask()
    const callback = place.fake.agree(await setOut(place, id))
    const store = place.assent.store.connections
    meanwhile = async () => {
      await place.assent.answer(id, onPage(alice), { action: 'decline' })
      const landed = await place.kept()
      if (landed === undefined) throw new Error('nothing landed')
      if (what === 'renewed') await store.saveIfUnchanged({ ...landed, version: 2 })
      if (what === 'replaced') await store.put({ ...older, id: 'newest' })
      if (what === 'gone') await store.remove(landed)
    }
    expect(await place.connections.complete(back(callback))).toMatchObject({ kind: 'late' })
    const kept = await place.kept()
    if (what === 'renewed') {
      expect(kept).toMatchObject({ version: 3, scopes: ['older'] })
      expect(kept).not.toHaveProperty('refreshingUntil')
    }
    if (what === 'replaced') expect(kept).toMatchObject({ id: 'newest', version: 1 })
    if (what === 'gone') expect(kept).toBeUndefined()
  })
})

test('an account connected for an hour is still connected afterwards, renewed', async () => {
  const place = await aPlace()
  await place.connections.complete(back(place.fake.agree(await setOut(place))))
  place.clock.advance(hour)
  expect(await place.connections.access(alice, 'notes')).toMatchObject({ secret: 'notes-access-2' })
})
