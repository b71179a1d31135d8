import { describe, expect, test } from 'vitest'
import type { Connection } from '../../src/connection/connection.ts'
import { createConnections } from '../../src/connection/create-connections.ts'
import type { Refreshed } from '../../src/connection/provider.ts'
import { StoreUnavailable } from '../../src/stores/errors.ts'
import type { ProviderScript } from '../../src/testing/index.ts'
import { alice } from '../support/asks.ts'
import { aPlace, back, hour, type Place, setOut } from './desks.ts'

const unavailable = { kind: 'unavailable', reason: 'http_503' } as const
const refused = { kind: 'refused', reason: 'invalid_grant' } as const

const granted = (accessToken: string): Refreshed => ({
  kind: 'granted',
  tokens: {
    credential: { kind: 'tokens', accessToken, refreshToken: `refresh of ${accessToken}` },
    scopes: ['notes.read'],
  },
})

/** A provider whose answers are given by the test, one for each request. */
function byHand() {
  const answers: ((refreshed: Refreshed) => void)[] = []
  const arrivals: (() => void)[] = []
  const script: ProviderScript = {
    refresh: [
      () =>
        new Promise<Refreshed>((resolve) => {
          answers.push(resolve)
          for (const tell of arrivals.splice(0)) tell()
        }),
    ],
  }
  return {
    script,
    /** Resolves when the provider has got this number of requests. */
    async asked(times: number) {
      while (answers.length < times) await new Promise<void>((resolve) => arrivals.push(resolve))
    },
    answer: (index: number, refreshed: Refreshed) => answers[index]?.(refreshed),
  }
}

const over = (place: Place): Partial<Connection> => ({ expiresAt: place.clock.now() })

describe('concurrent renewals', () => {
  test('two hundred calls in four processes make one request', async () => {
    const place = await aPlace()
    await place.connections.complete(back(place.fake.agree(await setOut(place))))
    place.clock.advance(hour)
    const processes = Array.from({ length: 4 }, () => createConnections(place.desk))
    const calls = processes.flatMap((one) => Array.from({ length: 50 }, () => one.access(alice, 'notes')))
    for (const ready of await Promise.all(calls))
      expect(ready).toMatchObject({ kind: 'ready', secret: 'notes-access-2' })
    expect(place.fake.all('refresh')).toHaveLength(1)
    expect((await place.audited()).filter(({ kind }) => kind === 'connection-renewed')).toHaveLength(1)
  })

  test('a provider whose tokens expire at once is asked once, not forever', async () => {
    const place = await aPlace({ fake: { lifetimeMs: 0 } })
    await place.connections.complete(back(place.fake.agree(await setOut(place))))
    place.clock.advance(1)
    const calls = [place.connections, createConnections(place.desk)].map((one) => one.access(alice, 'notes'))
    for (const ready of await Promise.all(calls)) expect(ready).toMatchObject({ secret: 'notes-access-2' })
    expect(place.fake.all('refresh')).toHaveLength(1)
  })

  test('fifty calls in one process read the store only once', async () => {
    const hand = byHand()
    let saves = 0
    const place = await aPlace({
      fake: { script: hand.script },
      desk: ({ store }) => ({
        store: {
          ...store,
          saveIfUnchanged(next) {
            saves += 1
            return store.saveIfUnchanged(next)
          },
        },
      }),
    })
    await place.put(over(place))
    const calls = Promise.all(Array.from({ length: 50 }, () => place.connections.access(alice, 'notes')))
    await hand.asked(1)
    hand.answer(0, granted('new'))
    await calls
    expect(saves).toBe(2)
  })

  test.each([
    ['refused', refused, { kind: 'missing', why: 'refused' }],
    ['unavailable', unavailable, undefined],
  ])('when it is %s, all callers learn it from one request', async (_, refreshed, expected) => {
    const hand = byHand()
    const place = await aPlace({ fake: { script: hand.script } })
    await place.put(over(place))
    const calls = Promise.allSettled(
      [place.connections, createConnections(place.desk)].map((one) => one.access(alice, 'notes')),
    )
    await hand.asked(1)
    // The other process waits by now, because its steps before need no timer.
    await new Promise((resolve) => setImmediate(resolve))
    hand.answer(0, refreshed)
    for (const call of await calls) {
      if (expected) expect(call).toMatchObject({ value: expected })
      else expect(call).toMatchObject({ reason: { code: 'provider_unavailable' } })
    }
    expect(place.fake.all('refresh')).toHaveLength(1)
  })

  test.each(['by the clock', 'by waiting'])('a lease whose holder is gone expires %s', async (how) => {
    const place = await aPlace({
      fake: { script: { refresh: [granted('new')] } },
      desk: () => ({ refreshLeaseMs: how === 'by waiting' ? 100 : 30_000 }),
    })
    const until = new Date(place.clock.now().getTime() + 1_000)
    await place.put({ ...over(place), refreshingUntil: until })
    const call = place.connections.access(alice, 'notes')
    if (how === 'by the clock') place.clock.advance(1_000)
    expect(await call).toMatchObject({ secret: 'new' })
  })

  test('waiting starts again when another process takes the lease', async () => {
    let looks = 0
    const place = await aPlace({
      desk: ({ store }) => ({
        refreshLeaseMs: 150,
        store: {
          ...store,
          async get(...given) {
            looks += 1
            const kept = await store.get(...given)
            if (looks === 3) await store.saveIfUnchanged({ ...leased, version: 2 })
            if (looks === 5) await store.saveIfUnchanged({ ...leased, version: 3, standing: 'refused' })
            return looks === 3 || looks === 5 ? store.get(...given) : kept
          },
        },
      }),
    })
    const until = new Date(place.clock.now().getTime() + hour)
    const leased = await place.put({ ...over(place), refreshingUntil: until })
    expect(await place.connections.access(alice, 'notes')).toMatchObject({ kind: 'missing', why: 'refused' })
    expect(place.fake.calls).toEqual([])
  })

  test('a missing vault key is noticed before any process has to wait', async () => {
    const place = await aPlace()
    await place.put({ ...over(place), sealed: { key: 'lost', box: 'v1.x' } })
    await expect(place.connections.access(alice, 'notes')).rejects.toThrow()
    expect(await place.kept()).not.toHaveProperty('refreshingUntil')
  })
})

describe('a granted token', () => {
  /** Does something while the provider has not answered yet. */
  async function meanwhile(doing: (place: Place, leased: Connection) => Promise<unknown>, refreshed: Refreshed) {
    const hand = byHand()
    const place = await aPlace({ fake: { script: hand.script } })
    await place.put(over(place))
    const call = place.connections.access(alice, 'notes')
    await hand.asked(1)
    await doing(place, (await place.kept()) as Connection)
    hand.answer(0, refreshed)
    return { place, call, hand }
  }

  test('is dropped when the person connected again meanwhile', async () => {
    const { place, call } = await meanwhile((place) => place.put({ id: 'second' }), granted('stale'))
    expect(await call).toMatchObject({ secret: 'old-access', connection: { id: 'second', version: 1 } })
    expect(place.fake.all('revoke')).toEqual([])
    expect(await place.audited()).toMatchObject([{ kind: 'connection-renewed', data: { dropped: true } }])
  })

  test('is revoked when the account was disconnected meanwhile', async () => {
    const { place, call } = await meanwhile((place) => place.connections.disconnect(alice, 'notes'), granted('stale'))
    expect(await call).toMatchObject({ kind: 'missing', why: 'none' })
    expect(place.fake.all('revoke').map(({ credential }) => credential.accessToken)).toEqual(['old-access', 'stale'])
    expect(await place.kept()).toBeUndefined()
  })

  test('is saved over other changes of the same connection', async () => {
    const change = (place: Place, leased: Connection) =>
      place.desk.store.saveIfUnchanged({ ...leased, version: leased.version + 1, standing: 'doubted' })
    const { place, call } = await meanwhile(change, granted('new'))
    expect(await call).toMatchObject({ secret: 'new', connection: { version: 4 } })
    expect(await place.kept()).toMatchObject({ standing: 'good' })
    expect(await place.kept()).not.toHaveProperty('refreshingUntil')
  })

  test('is saved when the store was down for a moment', async () => {
    let failures = 2
    const place = await aPlace({
      fake: { script: { refresh: [granted('new')] } },
      desk: ({ store }) => ({
        store: {
          ...store,
          async saveIfUnchanged(next) {
            if (next.obtained.by === 'refresh' && failures-- > 0) throw new StoreUnavailable('gone for a moment')
            return store.saveIfUnchanged(next)
          },
        },
      }),
    })
    await place.put(over(place))
    expect(await place.connections.access(alice, 'notes')).toMatchObject({ secret: 'new' })
  })

  test.each([
    ['the store stays down', new StoreUnavailable('gone')],
    ['the store is broken', new Error('broken')],
  ])('is lost with an error when %s', async (_, error) => {
    const place = await aPlace({
      fake: { script: { refresh: [granted('new')] } },
      desk: ({ store }) => ({
        refreshLeaseMs: 250,
        store: {
          ...store,
          saveIfUnchanged: (next) =>
            next.obtained.by === 'refresh' ? Promise.reject(error) : store.saveIfUnchanged(next),
        },
      }),
    })
    await place.put(over(place))
    await expect(place.connections.access(alice, 'notes')).rejects.toBe(error)
  })

  /** A lease expires while its holder still waits for the provider, and a second process asks too. */
  async function twoAtOnce() {
    const hand = byHand()
    const place = await aPlace({ fake: { script: hand.script } })
    await place.put(over(place))
    const first = place.connections.access(alice, 'notes')
    await hand.asked(1)
    place.clock.advance(30_000)
    const second = createConnections(place.desk).access(alice, 'notes')
    await hand.asked(2)
    const answer = async (index: 0 | 1, refreshed: Refreshed) => {
      hand.answer(index, refreshed)
      return Promise.allSettled([[first, second][index]]).then(([end]) => end)
    }
    return { place, answer }
  }

  const ends = (secret: string) => ({ value: { kind: 'ready', secret } })
  const cases: [string, [0 | 1, Refreshed, object][], string, Connection['standing']][] = [
    [
      'the second answer wins over the first',
      [
        [1, granted('b'), ends('b')],
        [0, granted('a'), ends('a')],
      ],
      'a',
      'good',
    ],
    [
      'a refusal of the token that the first used up does not count',
      [
        [0, granted('a'), ends('a')],
        [1, refused, ends('a')],
      ],
      'a',
      'good',
    ],
    [
      'a grant counts after a refusal',
      [
        [1, refused, { value: { why: 'refused' } }],
        [0, granted('a'), ends('a')],
      ],
      'a',
      'good',
    ],
    [
      'a provider that is down for one of them does not affect the other',
      [
        [0, granted('a'), ends('a')],
        [1, unavailable, ends('a')],
      ],
      'a',
      'good',
    ],
    [
      'a process that gives up does not release the lease of the other',
      [
        [0, unavailable, { reason: { code: 'provider_unavailable' } }],
        [1, granted('b'), ends('b')],
      ],
      'b',
      'good',
    ],
  ]
  test.each(cases)('when two asked: %s', async (_, answers, secret, standing) => {
    const { place, answer } = await twoAtOnce()
    for (const [index, refreshed, end] of answers) {
      expect(await answer(index, refreshed)).toMatchObject(end)
      if (refreshed === unavailable && index === 0) expect(await place.kept()).toHaveProperty('refreshingUntil')
    }
    expect(await place.kept()).toMatchObject({ standing })
    expect(await place.connections.access(alice, 'notes')).toMatchObject({ secret })
  })

  test.each(['gone', 'replaced'])(
    'when the provider is down and the connection is %s, the present state is returned',
    async (what) => {
      const doing = (place: Place, leased: Connection) =>
        what === 'gone' ? place.desk.store.remove(leased) : place.put({ id: 'second' })
      const { call } = await meanwhile(doing, unavailable)
      expect(await call).toMatchObject(what === 'gone' ? { why: 'none' } : { secret: 'old-access' })
    },
  )

  test.each(['gone', 'replaced'])('a waiting process learns that the connection is %s', async (what) => {
    const place = await aPlace()
    const until = new Date(place.clock.now().getTime() + hour)
    const leased = await place.put({ ...over(place), refreshingUntil: until })
    const call = place.connections.access(alice, 'notes')
    await (what === 'gone' ? place.desk.store.remove(leased) : place.put({ id: 'second' }))
    expect(await call).toMatchObject(what === 'gone' ? { why: 'none' } : { secret: 'old-access' })
  })
})
