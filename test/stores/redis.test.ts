import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { forgottenParticipant } from '../../src/elicitation/answering/answerers.ts'
import type { Elicitation } from '../../src/elicitation/elicitation.ts'
import { openRedisStore } from '../../src/stores/redis/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { alice, anElicitation, answered, bob, limitedTo, withState } from '../../src/testing/elicitations.ts'
import { startProxy } from '../support/silent-proxy.ts'
import { freshRedis, privateRedis, redisDo } from '../support/stores/redis.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

async function open(url = freshRedis()): Promise<Store> {
  const store = await openRedisStore(url)
  onTestFinished(() => store.close())
  return store
}

async function ownServer() {
  const server = await privateRedis()
  onTestFinished(server.stop)
  return server
}

async function asked(store: Store, over: Partial<Elicitation> = {}): Promise<Elicitation> {
  const elicitation = anElicitation(over)
  expect(await store.elicitations.add(elicitation, limitedTo(10_000))).toEqual({ kind: 'added' })
  return elicitation
}

function notified(store: Store, { id }: Elicitation): Promise<void> {
  return new Promise((resolve) => {
    const unwatch = store.changes.watch(id, () => {
      unwatch()
      resolve()
    })
  })
}

/** Answers, and retries while the store is down. */
async function answerPatiently(store: Store, elicitation: Elicitation): Promise<void> {
  for (;;) {
    try {
      await store.elicitations.saveIfUnchanged(answered(elicitation))
      return
    } catch (error) {
      expect(error).toMatchObject({ code: 'store_unavailable' })
      await sleep(20)
    }
  }
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
}

const prefixOf = (url: string) => `{${new URL(url).searchParams.get('prefix') ?? 'assent'}}:`
const keysOf = (url: string) =>
  redisDo(url, async (client) => (await client.keys('*')).filter((key) => key.startsWith(prefixOf(url))).sort())

describe('keys', () => {
  test('none has an expiry, so that nothing that was answered or is owed goes by itself', async () => {
    const url = freshRedis()
    const store = await open(url)
    const kept = await asked(store, { type: 'x' })
    await store.elicitations.saveIfUnchanged(answered(kept))
    await store.steps.claim({ walkId: 'w', name: 'call' }, new Date(1))
    await asked(store)

    const expiries = await redisDo(url, async (client) =>
      Promise.all((await keysOf(url)).map((key) => client.sendCommand(['PTTL', key]))),
    )
    expect(expiries.length).toBeGreaterThan(5)
    expect(new Set(expiries)).toEqual(new Set([-1]))
  })

  test('two prefixes in one database are independent', async () => {
    const [one, two] = [await open(), await open()]
    const kept = await asked(one)
    await asked(two, { id: kept.id })
    let stray = 0
    const unwatch = two.changes.watch(kept.id, () => stray++)
    const notice = notified(one, kept)

    await one.elicitations.saveIfUnchanged(answered(kept))
    await notice
    await sleep(100)
    unwatch()
    expect(stray).toBe(0)
    expect(await two.elicitations.listOpen([alice], 9)).toHaveLength(1)
  })

  test('a participant who is forgotten is named in no key and no value', async () => {
    const url = freshRedis()
    const store = await open(url)
    const by = { participant: alice, via: 'page' } as const
    const theirs = await asked(store, {
      requester: { participant: bob, client: 'c' },
      answerers: { anyOf: [bob], through: 'page' },
    })
    const seal = (key: string) => ({ action: 'accept', sealed: { key, box: 'v1.x' } }) as const
    const at = new Date('2026-01-01T00:01:00Z')
    const first = withState(theirs, { kind: 'answered', answer: seal('old'), by, at })
    await store.elicitations.saveIfUnchanged(first)
    await asked(store, { type: 'x' })
    await store.elicitations.saveIfUnchanged(answered(await asked(store, { type: 'x' })))

    await store.elicitations.forget(alice)
    // Resealed from what was read before.
    await store.elicitations.saveIfUnchanged(withState(first, { kind: 'answered', answer: seal('new'), by, at }))
    expect((await store.elicitations.get(theirs.id))?.state).toEqual({
      kind: 'answered',
      answer: seal('new'),
      by: { ...by, participant: forgottenParticipant },
      at,
    })
    const everything = await redisDo(url, async (client) =>
      Promise.all((await keysOf(url)).map(async (key) => `${key} ${await client.sendCommand(['DUMP', key])}`)),
    )
    expect(everything.join('\n')).not.toContain(alice)
  })

  test('what is deleted leaves nothing behind', async () => {
    const url = freshRedis()
    const store = await open(url)
    const empty = await keysOf(url)
    for (const one of await Promise.all(times(5, () => asked(store)))) {
      await store.elicitations.saveIfUnchanged(answered(one))
    }
    await store.steps.claim({ walkId: 'w', name: 'call' }, new Date(1))
    await store.steps.finish({ walkId: 'w', name: 'call' }, { key: 'k', box: 'v1.x' })
    expect(await store.elicitations.deleteSettled(new Date('2027-01-01'), 100)).toBe(5)
    expect(await store.steps.deleteSteps(new Date('2027-01-01'), 100)).toBe(1)

    const counters = ['elicitation:seq', 'step:seq'].map((name) => `${prefixOf(url)}${name}`)
    expect(await keysOf(url)).toEqual([...empty, ...counters].sort())
  })

  test('a newer schema is not changed, and the error says what to do', async () => {
    const url = freshRedis()
    await open(url)
    await redisDo(url, (client) => client.set(`${prefixOf(url)}schema`, '99'))

    await expect(open(url)).rejects.toMatchObject({
      code: 'schema_newer',
      message: expect.stringContaining('schema 99'),
    })
  })
})

describe('concurrency', () => {
  test('of two hundred concurrent answers through two stores, exactly one is stored', async () => {
    const url = freshRedis()
    const stores = [await open(url), await open(url)] as const
    const kept = await asked(stores[0])

    const saved = await Promise.all(
      times(200, (index) => stores[index % 2 === 0 ? 0 : 1].elicitations.saveIfUnchanged(answered(kept))),
    )
    expect(saved.filter(Boolean)).toHaveLength(1)
  })

  test('concurrent clean-ups delete each record once', async () => {
    const store = await open()
    const kept = await Promise.all(times(60, () => asked(store)))
    await Promise.all(kept.map((one) => store.elicitations.saveIfUnchanged(answered(one))))

    const deleted = await Promise.all(times(6, () => store.elicitations.deleteSettled(new Date('2027-01-01'), 1_000)))
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(60)
  })

  test('a participant with more records than are deleted at once is forgotten as a whole', async () => {
    const store = await open()
    await Promise.all(times(1_100, () => asked(store)))
    const theirs = await asked(store, { requester: { participant: bob, client: 'c' } })

    expect(await store.elicitations.forget(alice)).toBe(1_100)
    expect(await store.elicitations.listAllOpen(9)).toEqual([theirs])
  })
})

describe('notification', () => {
  test('a save that settles nothing is heard of too, which no reading again would find', async () => {
    const url = freshRedis()
    const [here, there] = [await open(url), await open(url)]
    const [first, second] = [await asked(here), await asked(here)]
    const subscribed = notified(there, first)
    await here.elicitations.saveIfUnchanged(answered(first))
    await subscribed

    const notice = notified(there, second)
    expect(await here.elicitations.saveIfUnchanged({ ...second, version: 2 })).toBe(true)
    await notice
  })

  test('a watcher of a forgotten question is notified', async () => {
    const url = freshRedis()
    const [here, there] = [await open(url), await open(url)]
    const kept = await asked(here)
    const notice = notified(there, kept)

    await here.elicitations.forget(alice)
    await notice
  })

  test('answers given before, during and after a restart of the server are all heard of', async () => {
    const server = await ownServer()
    const [here, there] = [await open(server.url), await open(server.url)]
    const kept = await Promise.all(times(300, () => asked(here)))
    const notice = Promise.all(kept.map((one) => notified(there, one)))

    const answering = kept.map(async (one, index) => {
      await sleep(index * 3)
      await answerPatiently(here, one)
    })
    await sleep(200)
    await server.restart(300)
    await Promise.all(answering)
    await notice
  })

  test('a connection that was cut without notice is detected, and missed answers are found', async () => {
    const url = freshRedis()
    const [here, proxy] = [await open(url), await startProxy(url)]
    const there = await open(proxy.url)
    const [first, second] = [await asked(here), await asked(here)]
    const heardFirst = notified(there, first)
    await here.elicitations.saveIfUnchanged(answered(first))
    await heardFirst
    const notice = notified(there, second)

    proxy.fallSilent()
    await here.elicitations.saveIfUnchanged(answered(second))
    await sleep(100)
    proxy.speakToNewOnes()
    await notice
  })
})

describe('when the server cannot be used', () => {
  const secret = 'pa55-w0rd'

  test.each([
    ['a wrong password', (url: URL) => Object.assign(url, { password: secret }), 'WRONGPASS'],
    ['nobody at the port', (url: URL) => Object.assign(url, { password: secret, port: '1' }), 'ECONNREFUSED'],
    ['no such host', (url: URL) => Object.assign(url, { password: secret, hostname: 'nowhere.invalid' }), 'nowhere'],
    ['no such database', (url: URL) => Object.assign(url, { pathname: '/999' }), 'DB index'],
  ])('%s: the store is unavailable, and the detail says why without the password', async (_, change, why) => {
    const error = await failure(openRedisStore(change(new URL(freshRedis())).href))
    expect(error).toMatchObject({ code: 'store_unavailable', detail: expect.stringContaining(why) })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  })

  test.each([
    'redis//x',
    'redis:pa55-w0rd',
    'redis://user:pa55-w0rd@host/db',
    'redis://user:pa55-w0rd@host/0?prefix=a:b',
    'redis://user:pa55-w0rd@host/0?tls=1',
    'redis://user:%E0%A4pa55-w0rd@host/0',
  ])('the address %s is malformed, and the error does not repeat it', async (url) => {
    const error = await failure(openRedisStore(url))
    expect(error).toMatchObject({ code: 'bad_store_url' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  })

  test('without the driver, the error says what to install', async () => {
    vi.doMock('@redis/client', () => {
      throw new Error('Cannot find package')
    })
    onTestFinished(() => {
      vi.doUnmock('@redis/client')
    })
    await expect(openRedisStore(freshRedis())).rejects.toMatchObject({
      code: 'driver_missing',
      message: expect.stringContaining('npm install @redis/client'),
    })
  })

  test.each(['allkeys-lru', 'allkeys-random'])(
    'one that deletes keys by %s is refused, with the remedy',
    async (policy) => {
      const { url } = await ownServer()
      await redisDo(url, (client) => client.sendCommand(['CONFIG', 'SET', 'maxmemory-policy', policy]))
      await expect(openRedisStore(url)).rejects.toMatchObject({
        code: 'bad_config',
        message: expect.stringContaining('maxmemory-policy noeviction'),
      })
    },
  )

  test('a server without memory refuses a write as a whole, and what is there can be read', async () => {
    const { url } = await ownServer()
    const store = await open(url)
    const kept = await asked(store)
    const limit = (memory: string) =>
      redisDo(url, (client) => client.sendCommand(['CONFIG', 'SET', 'maxmemory', memory]))
    await limit('1')
    const keys = await keysOf(url)

    const error = await failure(store.elicitations.saveIfUnchanged(answered(kept)))
    expect(error).toMatchObject({ code: 'store_unavailable', detail: expect.stringContaining('OOM') })
    expect(await failure(store.elicitations.add(anElicitation(), limitedTo(9)))).toMatchObject({
      code: 'store_unavailable',
    })
    expect(await store.elicitations.listOpen([alice], 9)).toEqual([kept])
    expect(await keysOf(url)).toEqual(keys)
    await limit('0')
    expect(await store.elicitations.saveIfUnchanged(answered(kept))).toBe(true)
    expect(await store.elicitations.listOpen([alice], 9)).toEqual([])
  })

  test('the name is the address without user and password', async () => {
    const url = freshRedis()
    const { host, pathname, search } = new URL(url)
    expect((await open(url)).name).toBe(`redis://${host}${pathname}${search}`)
  })

  test('while it is down, operations fail with the reason; when it is back, they work', async () => {
    const server = await ownServer()
    const store = await open(server.url)
    const kept = await asked(store)
    const back = server.restart(4_000)
    await expect
      .poll(() => store.elicitations.get(kept.id).catch((error: unknown) => error))
      .toMatchObject({ code: 'store_unavailable' })
    await back

    await expect.poll(() => store.elicitations.get(kept.id).catch(() => undefined)).toEqual(kept)
    // Scripts are sent again to a server that forgot them.
    expect(await store.elicitations.saveIfUnchanged(answered(kept))).toBe(true)
  })
})

describe('closing', () => {
  /** Below the time after which a connection without a reply is given up. */
  const promptly = 4_500

  test('may be repeated; later operations are reported as unavailable', async () => {
    const store = await open()
    const kept = await asked(store)
    await Promise.all([store.close(), store.close()])

    await expect(store.elicitations.get(kept.id)).rejects.toMatchObject({ code: 'store_unavailable' })
    store.changes.watch(kept.id, () => {})()
  })

  test('waits for writes under way, and ends every connection', async () => {
    const { url } = await ownServer()
    const store = await open(url)
    store.changes.watch((await asked(store)).id, () => {})
    const adding = times(50, () => store.elicitations.add(anElicitation(), limitedTo(100)))
    await store.close()

    for (const added of await Promise.all(adding)) expect(added).toEqual({ kind: 'added' })
    const connections = () => redisDo(url, (client) => client.sendCommand(['CLIENT', 'LIST']))
    await expect.poll(async () => String(await connections()).match(/name=assent/g) ?? []).toEqual([])
  })

  test('is quick while the server does not reply, and what is under way fails', async () => {
    const proxy = await startProxy(freshRedis())
    const store = await openRedisStore(proxy.url)
    const kept = await asked(store)
    store.changes.watch(kept.id, () => {})
    await sleep(200)
    proxy.fallSilent()
    const unanswered = times(20, () => failure(store.elicitations.get(kept.id)))
    await sleep(50)

    const start = performance.now()
    await store.close()
    expect(performance.now() - start).toBeLessThan(promptly)
    for (const error of await Promise.all(unanswered)) expect(error).toMatchObject({ code: 'store_unavailable' })
  })
})
