import { describe, expect, test } from 'vitest'
import { alice, bob, onPage } from '../support/asks.ts'
import { afterPut, aPlace, back, person, setOut } from './desks.ts'

const stripe = { provider: 'stripe', person: person(alice) }

describe('a key', () => {
  test('is stored sealed, without surrounding space, and settles its question', async () => {
    const place = await aPlace()
    const { id } = await place.ask(['charges'], 'stripe')
    const kept = await place.connections.keepKey({ ...stripe, elicitation: id }, '  sk_live_planted\n')
    expect(kept).toMatchObject({ kind: 'connected', elicitation: { state: { answer: { action: 'accept' } } } })
    expect(await place.connections.access(alice, 'stripe', ['charges'])).toMatchObject({ secret: 'sk_live_planted' })
    expect(await place.kept('stripe')).toMatchObject({ renewable: false, obtained: { by: 'key' }, elicitation: id })
    expect(await place.everythingKept()).not.toContain('sk_live_planted')
    expect(await place.audited()).toEqual([
      { kind: 'connected', about: id, data: { provider: 'stripe', scopes: ['charges'], by: 'key' } },
    ])
  })

  test.each(['', '   ', 'a\nb', 'a\u0000b', 'zero\u200bwidth', 'schlüssel', 'x'.repeat(4097)])(
    'with forbidden characters is invalid, and the question stays open (%#)',
    async (key) => {
      const place = await aPlace()
      const { id } = await place.ask([], 'stripe')
      const kept = await place.connections.keepKey({ ...stripe, elicitation: id }, key)
      expect(kept).toMatchObject({ kind: 'invalid', message: expect.stringContaining('1 to 4096') })
      expect(await place.kept('stripe')).toBeUndefined()
      expect((await place.assent.get(id))?.state.kind).toBe('open')
    },
  )

  test('of 4096 characters is accepted, also without a question', async () => {
    const place = await aPlace()
    expect(await place.connections.keepKey(stripe, 'x'.repeat(4096))).toMatchObject({ kind: 'connected' })
    expect(await place.kept('stripe')).not.toHaveProperty('elicitation')
  })

  test('for a question that is settled is not stored', async () => {
    const place = await aPlace()
    const { id } = await place.ask([], 'stripe')
    await place.assent.answer(id, onPage(alice), { action: 'cancel' })
    expect(await place.connections.keepKey({ ...stripe, elicitation: id }, 'k')).toMatchObject({ kind: 'late' })
    expect(await place.kept('stripe')).toBeUndefined()
    expect(await place.audited()).toMatchObject([{ kind: 'connect-refused', data: { reason: 'late' } }])
  })

  test('that bob gives for alice’s question is refused, and nothing is stored', async () => {
    const place = await aPlace()
    const { id } = await place.ask([], 'stripe')
    const bobs = place.connections.keepKey({ ...stripe, person: person(bob), elicitation: id }, 'k')
    await expect(bobs).rejects.toMatchObject({ code: 'participant_mismatch' })
    expect(await place.desk.store.get(bob, 'stripe')).toBeUndefined()
  })

  test('for a provider that takes none is an error', async () => {
    const { connections } = await aPlace()
    const keep = (provider: string) => connections.keepKey({ ...stripe, provider }, 'k')
    await expect(keep('notes')).rejects.toMatchObject({ code: 'bad_argument' })
    await expect(keep('nowhere')).rejects.toMatchObject({ code: 'provider_unknown' })
  })

  test('whose question is settled at the moment it is stored is removed again, and not revoked', async () => {
    let meanwhile = async () => {}
    const place = await aPlace({ desk: afterPut(() => meanwhile()) })
    const { id } = await place.ask([], 'stripe')
    meanwhile = async () => void (await place.assent.answer(id, onPage(alice), { action: 'decline' }))
    expect(await place.connections.keepKey({ ...stripe, elicitation: id }, 'k')).toMatchObject({ kind: 'late' })
    expect(await place.kept('stripe')).toBeUndefined()
  })
})

test('a list shows connections in order, and no secret', async () => {
  const place = await aPlace()
  await place.connections.keepKey(stripe, 'k')
  await place.connections.complete(back(place.fake.agree(await setOut(place))))
  await place.put({ provider: 'gone', standing: 'refused', expiresAt: undefined as never })
  const connectedAt = new Date('2026-01-01T00:00:00.000Z')
  expect(await place.connections.list(alice)).toEqual([
    { provider: 'gone', title: 'gone', scopes: ['notes.read'], standing: 'refused', connectedAt },
    {
      provider: 'notes',
      title: 'Notes',
      scopes: ['notes.read'],
      standing: 'good',
      connectedAt,
      account: 'alice@notes.example.com',
      expiresAt: new Date('2026-01-01T01:00:00.000Z'),
    },
    { provider: 'stripe', title: 'Stripe', scopes: [], standing: 'good', connectedAt },
  ])
  expect(await place.connections.list(bob)).toEqual([])
})

describe('disconnecting an account', () => {
  test('removes the connection, then revokes it at the provider', async () => {
    const place = await aPlace({
      fake: { script: { revoke: [async () => ((await place.kept()) === undefined ? 'as-usual' : false)] } },
    })
    await place.connections.complete(back(place.fake.agree(await setOut(place))))
    expect(await place.connections.disconnect(alice, 'notes')).toEqual({ revokedThere: true })
    expect(await place.connections.access(alice, 'notes')).toMatchObject({ why: 'none' })
    expect(place.fake.all('revoke')).toMatchObject([{ credential: { refreshToken: 'notes-refresh-1' } }])
    expect((await place.audited()).slice(-2)).toEqual([
      { kind: 'disconnected', data: { provider: 'notes', scopes: ['notes.read'] } },
      { kind: 'connection-let-go', data: { provider: 'notes', revokedThere: true } },
    ])
  })

  test('without a connection does nothing, and bob cannot disconnect alice’s', async () => {
    const place = await aPlace()
    await place.put()
    expect(await place.connections.disconnect(bob, 'notes')).toBeUndefined()
    expect(await place.kept()).toBeDefined()
    expect(await place.audited()).toEqual([])
  })

  test('does not wait longer than five seconds for the provider', async () => {
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    const never = () => new Promise<boolean>(() => asked())
    const place = await aPlace({ fake: { script: { revoke: [never] } } })
    await place.put()
    const giving = place.connections.disconnect(alice, 'notes')
    await isAsked
    place.clock.advance(5_000)
    expect(await giving).toEqual({ revokedThere: false })
    expect(await place.kept()).toBeUndefined()
  })

  test.each([
    ['a provider that throws', {}, { revoke: [() => Promise.reject(new Error('bug'))] }],
    ['a provider that cannot revoke', {}, { revoke: [false] }],
    ['a provider that is not configured any more', { provider: 'gone' }, {}],
    ['a credential that cannot be opened', { sealed: { key: 'lost', box: 'x' } }, {}],
  ])('works with %s', async (_, over, script) => {
    const place = await aPlace({ fake: { script } })
    const { provider } = await place.put(over)
    expect(await place.connections.disconnect(alice, provider)).toEqual({ revokedThere: false })
    expect(await place.kept(provider)).toBeUndefined()
  })

  test('also removes a connection that was stored at the same moment', async () => {
    let once = true
    const place = await aPlace({
      desk: ({ store }) => ({
        store: {
          ...store,
          async remove(one) {
            if (once) await place.put({ id: 'second' })
            once = false
            return store.remove(one)
          },
        },
      }),
    })
    await place.put()
    expect(await place.connections.disconnect(alice, 'notes')).toEqual({ revokedThere: true })
    expect(await place.kept()).toBeUndefined()
  })
})
