import { describe, expect, test } from 'vitest'
import type { Connection } from '../../src/connection/connection.ts'
import type { Access } from '../../src/connection/connections.ts'
import type { Credential } from '../../src/connection/credential/credential.ts'
import { fakeProvider, fixedClock } from '../../src/testing/index.ts'
import { alice, bob } from '../support/asks.ts'
import { aPlace, hour } from './desks.ts'

const start = fixedClock().now().getTime()
const at = (ms: number) => new Date(start + ms)
const unavailable = { kind: 'unavailable', reason: 'http_503' } as const
const refused = { kind: 'refused', reason: 'invalid_grant' } as const

describe('access', () => {
  test('to a provider that is not configured is an error with its code', async () => {
    const { connections } = await aPlace()
    await expect(connections.access(alice, 'nowhere')).rejects.toMatchObject({ code: 'provider_unknown' })
  })

  const key: Credential = { kind: 'key', key: 'k' }
  const stripe = { provider: 'stripe', renewable: false, scopes: [] }
  const cases: [string, Partial<Connection>, Credential | undefined, readonly string[] | undefined, Partial<Access>][] =
    [
      [
        'a good connection is opened',
        { account: 'alice' },
        undefined,
        undefined,
        { kind: 'ready', secret: 'old-access', account: 'alice' },
      ],
      [
        'a connection without an expiry date is opened',
        { expiresAt: undefined as never },
        undefined,
        undefined,
        { kind: 'ready', secret: 'old-access' },
      ],
      ['fewer scopes than are held are fine', { scopes: ['a', 'notes.read'] }, undefined, ['a'], { kind: 'ready' }],
      [
        'a refused connection is missing',
        { standing: 'refused' },
        undefined,
        undefined,
        { kind: 'missing', why: 'refused', scopes: ['notes.read'] },
      ],
      [
        'the scopes of the provider are needed by default',
        { scopes: [] },
        undefined,
        undefined,
        { kind: 'missing', why: 'scopes', scopes: ['notes.read'] },
      ],
      [
        'a new consent asks for the scopes already held too',
        { scopes: ['b', 'a'] },
        undefined,
        ['c', 'a'],
        { kind: 'missing', why: 'scopes', scopes: ['b', 'a', 'c'] },
      ],
      [
        'an expired connection that cannot be renewed is refused',
        { renewable: false, expiresAt: at(0) },
        undefined,
        undefined,
        { kind: 'missing', why: 'refused' },
      ],
      [
        'a doubted connection that cannot be renewed is refused',
        { renewable: false, standing: 'doubted' },
        undefined,
        undefined,
        { kind: 'missing', why: 'refused' },
      ],
      [
        'a connection that expires soon and cannot be renewed is used',
        { renewable: false, expiresAt: at(1) },
        undefined,
        undefined,
        { kind: 'ready' },
      ],
      ['a key is opened', stripe, key, undefined, { kind: 'ready', secret: 'k', provider: 'stripe' }],
    ]
  test.each(cases)('%s', async (_, over, credential, scopes, expected) => {
    const { connections, put, fake } = await aPlace()
    const { provider } = await put(over, credential)
    expect(await connections.access(alice, provider, scopes)).toMatchObject(expected)
    expect(fake.calls).toEqual([])
  })

  test('without a connection says which scopes to ask for, and does not find accounts of others', async () => {
    const { connections, put } = await aPlace()
    await put()
    expect(await connections.access(bob, 'notes', ['a', 'a'])).toEqual({ kind: 'missing', why: 'none', scopes: ['a'] })
  })

  test('says where the secret is sent, and which connection it comes from', async () => {
    const { connections, put } = await aPlace()
    await put()
    expect(await connections.access(alice, 'notes')).toEqual({
      kind: 'ready',
      provider: 'notes',
      secret: 'old-access',
      sending: { header: 'Authorization' },
      scopes: ['notes.read'],
      connection: { participant: alice, provider: 'notes', id: 'first', version: 1 },
    })
  })

  test('a provider that takes keys now does not renew its earlier tokens', async () => {
    const clock = fixedClock()
    const { provider } = fakeProvider({ clock })
    const { connections, put } = await aPlace({ providers: [{ ...provider, by: { kind: 'key', fieldLabel: 'Key' } }] })
    await put({ expiresAt: at(0) })
    expect(await connections.access(alice, 'notes')).toMatchObject({ kind: 'missing', why: 'refused' })
  })
})

describe('a token that expires', () => {
  const granted = (over = {}) => ({
    kind: 'granted' as const,
    tokens: { credential: { kind: 'tokens' as const, accessToken: 'new' }, scopes: ['notes.read'], ...over },
  })

  test.each([
    [61_000, 0],
    [60_000, 1],
    [1, 1],
    [-1, 1],
  ])('in %i ms is renewed %i times', async (ms, times) => {
    const { connections, put, fake } = await aPlace({ fake: { script: { refresh: [granted()] } } })
    await put({ expiresAt: at(ms), obtained: { at: at(-hour), by: 'consent' } })
    expect(await connections.access(alice, 'notes')).toMatchObject({ secret: times ? 'new' : 'old-access' })
    expect(fake.all('refresh')).toHaveLength(times)
  })

  test('and is short-lived is not renewed at every use', async () => {
    const { connections, put, fake, clock } = await aPlace({ fake: { script: { refresh: [granted()] } } })
    await put({ expiresAt: at(40_000) })
    clock.advance(19_000)
    await connections.access(alice, 'notes')
    expect(fake.all('refresh')).toHaveLength(0)
    clock.advance(1_000)
    await connections.access(alice, 'notes')
    expect(fake.all('refresh')).toHaveLength(1)
  })

  test('is stored sealed, with the same account, connection date and id', async () => {
    const more = { expiresAt: at(2 * hour), scopes: ['notes.read', 'more'], account: 'another name' }
    const place = await aPlace({ fake: { script: { refresh: [granted(more)] } } })
    const { connections, put, kept, clock, audited } = place
    const before = await put({ account: 'alice', standing: 'doubted' })
    clock.advance(1_000)
    expect(await connections.access(alice, 'notes')).toMatchObject({ secret: 'new', scopes: ['notes.read', 'more'] })
    const { sealed, ...rest } = before
    expect(await kept()).toEqual({
      ...rest,
      version: 3,
      standing: 'good',
      scopes: ['notes.read', 'more'],
      expiresAt: at(2 * hour),
      obtained: { at: at(1_000), by: 'refresh' },
      sealed: expect.not.objectContaining(sealed),
    })
    expect(await audited()).toEqual([{ kind: 'connection-renewed', data: { provider: 'notes' } }])
    expect(await place.everythingKept()).not.toContain('old-refresh')
  })

  test('keeps its refresh token when the provider issues no new one', async () => {
    const { connections, put, fake, clock } = await aPlace({ fake: { script: { refresh: [granted()] } } })
    await put({ expiresAt: at(0) })
    await connections.access(alice, 'notes')
    const ready = await connections.access(alice, 'notes')
    clock.advance(61_000)
    if (ready.kind === 'ready') await connections.rejected(ready)
    await connections.access(alice, 'notes')
    expect(fake.all('refresh').map(({ refreshToken }) => refreshToken)).toEqual(['old-refresh', 'old-refresh'])
  })

  test('and comes back with fewer scopes says what is missing', async () => {
    const { connections, put } = await aPlace({ fake: { script: { refresh: [granted({ scopes: [] })] } } })
    await put({ expiresAt: at(0) })
    expect(await connections.access(alice, 'notes')).toMatchObject({ why: 'scopes', scopes: ['notes.read'] })
  })

  test('and whose renewal is refused needs the person, until the account is connected again', async () => {
    const { connections, put, kept, audited, fake } = await aPlace({ fake: { script: { refresh: [refused] } } })
    const before = await put({ expiresAt: at(1_000), obtained: { at: at(-hour), by: 'consent' } })
    const missing = { kind: 'missing', why: 'refused', scopes: ['notes.read'] }
    expect(await connections.access(alice, 'notes')).toEqual(missing)
    expect(await connections.access(alice, 'notes')).toEqual(missing)
    expect(await kept()).toEqual({ ...before, version: 3, standing: 'refused' })
    expect(fake.all('refresh')).toHaveLength(1)
    expect(await audited()).toMatchObject([{ kind: 'connection-refused', data: { reason: 'invalid_grant' } }])
  })

  test.each<Credential>([
    { kind: 'tokens', accessToken: 'x' },
    { kind: 'key', key: 'x' },
  ])('and was stored as renewable without a refresh token is refused ($kind)', async (credential) => {
    const { connections, put, fake } = await aPlace()
    await put({ expiresAt: at(0) }, credential)
    expect(await connections.access(alice, 'notes')).toMatchObject({ why: 'refused' })
    expect(fake.calls).toEqual([])
  })

  test('whose provider is down is used until it expires', async () => {
    const { connections, put, kept, clock } = await aPlace({ fake: { script: { refresh: [unavailable] } } })
    await put({ expiresAt: at(1_000), obtained: { at: at(-hour), by: 'consent' } })
    expect(await connections.access(alice, 'notes')).toMatchObject({ kind: 'ready', secret: 'old-access' })
    expect(await kept()).not.toHaveProperty('refreshingUntil')
    clock.advance(1_000)
    await expect(connections.access(alice, 'notes')).rejects.toMatchObject({
      code: 'provider_unavailable',
      message: 'Notes cannot be reached at the moment. Try again later.',
    })
  })

  test('and is doubted is not used even while its provider is down', async () => {
    const { connections, put } = await aPlace({ fake: { script: { refresh: [unavailable] } } })
    await put({ standing: 'doubted' })
    await expect(connections.access(alice, 'notes')).rejects.toMatchObject({ code: 'provider_unavailable' })
  })
})

describe('a credential that a service rejected', () => {
  const cases: [string, Partial<Connection>, number, 'doubted' | 'refused'][] = [
    ['by consent is renewed first', {}, 0, 'doubted'],
    ['renewed long ago is renewed again', { obtained: { at: at(0), by: 'refresh' } }, 60_000, 'doubted'],
    ['renewed just now is refused', { obtained: { at: at(0), by: 'refresh' } }, 59_999, 'refused'],
    ['that cannot be renewed is refused', { renewable: false }, 0, 'refused'],
  ]
  test.each(cases)('%s', async (_, over, ms, standing) => {
    const { connections, put, kept, clock, audited } = await aPlace()
    const before = await put(over)
    clock.advance(ms)
    const ready = await connections.access(alice, 'notes')
    if (ready.kind !== 'ready') throw new Error('not ready')
    await connections.rejected(ready)
    expect(await kept()).toEqual({ ...before, version: 2, standing })
    expect(await audited()).toEqual([{ kind: 'connection-rejected', data: { provider: 'notes', standing } }])
  })

  test('does not affect a newer credential', async () => {
    const { connections, put, kept, desk } = await aPlace()
    const first = await put()
    const ready = await connections.access(alice, 'notes')
    if (ready.kind !== 'ready') throw new Error('not ready')
    await desk.store.saveIfUnchanged({ ...first, version: 2 })
    await connections.rejected(ready)
    expect(await kept()).toMatchObject({ version: 2, standing: 'good' })
    const second = await put({ id: 'second' })
    await connections.rejected(ready)
    expect(await kept()).toEqual(second)
    await desk.store.remove(second)
    await connections.rejected(ready)
    expect(await kept()).toBeUndefined()
  })
})
