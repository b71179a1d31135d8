import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { forgottenParticipant } from '../../src/elicitation/answering/answerers.ts'
import type { Elicitation, ElicitationId } from '../../src/elicitation/elicitation.ts'
import { migratePostgres, postgresMigrations } from '../../src/stores/postgres/migrations.ts'
import { openPostgresStore } from '../../src/stores/postgres/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { alice, anElicitation, answered, bob, limitedTo, withState } from '../../src/testing/elicitations.ts'
import { type FreshDatabase, freshDatabase, privatePostgres } from '../support/postgres.ts'
import { startProxy } from '../support/silent-proxy.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

let database: FreshDatabase
beforeEach(async () => {
  database = await freshDatabase()
})
afterEach(() => database.drop())

async function open(url = database.url): Promise<Store> {
  const store = await openPostgresStore(url)
  onTestFinished(() => store.close())
  return store
}

async function sql(url: string, text: string, values: unknown[] = []): Promise<pg.QueryResult> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return await client.query(text, values)
  } finally {
    await client.end()
  }
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

const schemaOf = async (url: string) =>
  (await sql(url, `select value from assent_meta where key = 'schema'`)).rows.map(({ value }) => Number(value))

describe('the schema', () => {
  test('eight concurrent opens of an empty database all succeed, and the schema is created once', async () => {
    const stores = await Promise.all(times(8, () => open()))

    const kept = await Promise.all(stores.map((store) => asked(store)))
    expect(await stores[0]?.elicitations.listOpen([alice], 100)).toHaveLength(kept.length)
    expect(await schemaOf(database.url)).toEqual([postgresMigrations.length])
  })

  test('a newer schema is not changed, and the error says what to do', async () => {
    await open()
    await sql(database.url, `update assent_meta set value = '99' where key = 'schema'`)

    await expect(open()).rejects.toMatchObject({ code: 'schema_newer', message: expect.stringContaining('schema 99') })
    expect(await schemaOf(database.url)).toEqual([99])
  })

  test.each(times(postgresMigrations.length, (version) => version))(
    'a database of schema %i is migrated',
    async (n) => {
      const client = new pg.Client(database.url)
      await client.connect()
      await migratePostgres(client, postgresMigrations.slice(0, n))
      await client.end()

      const store = await open()
      const kept = await asked(store)
      expect(await store.elicitations.get(kept.id)).toEqual(kept)
      expect(await schemaOf(database.url)).toEqual([postgresMigrations.length])
    },
  )

  test('versions count from one without gaps', () => {
    expect(postgresMigrations.map(({ version }) => version)).toEqual(
      times(postgresMigrations.length, (index) => index + 1),
    )
  })

  test('a step that fails is rolled back', async () => {
    const client = new pg.Client(database.url)
    await client.connect()
    const broken = { version: 1, sql: 'create table assent_half (id text); select no_such_function()' }
    await expect(migratePostgres(client, [broken])).rejects.toThrow('no_such_function')
    await client.end()

    const { rows } = await sql(
      database.url,
      `select to_regclass('assent_half') as half, to_regclass('assent_meta') as meta`,
    )
    expect(rows).toEqual([{ half: null, meta: null }])
  })

  test('a role that may not create tables can use existing ones', async () => {
    await open()
    const role = `assent_${new URL(database.url).pathname.slice(-16)}`
    await sql(database.url, `create role ${role} login password 'limited'`)
    try {
      await sql(database.url, `revoke create on schema public from public`)
      await sql(database.url, `grant all on all tables in schema public to ${role}`)
      await sql(database.url, `grant all on all sequences in schema public to ${role}`)
      const url = new URL(database.url)
      url.username = role
      url.password = 'limited'
      const store = await openPostgresStore(url.href)
      await asked(store)
      await store.close()
    } finally {
      await sql(database.url, `drop owned by ${role}`)
      await sql(database.url, `drop role ${role}`)
    }
  })

  test('two schemas in one database are independent', async () => {
    await sql(database.url, 'create schema one')
    await sql(database.url, 'create schema two')
    const within = (schema: string) =>
      `${database.url}?options=${encodeURIComponent(`-c search_path=${schema},public`)}`
    const [one, two] = [await open(within('one')), await open(within('two'))]
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
})

describe('concurrency', () => {
  test('of two hundred concurrent answers through two stores, exactly one is stored', async () => {
    const stores = [await open(), await open()] as const
    const kept = await asked(stores[0])

    const saved = await Promise.all(
      times(200, (index) => stores[index % 2 === 0 ? 0 : 1].elicitations.saveIfUnchanged(answered(kept))),
    )
    expect(saved.filter(Boolean)).toHaveLength(1)
  })

  test('of fifty concurrent questions, ten fit the limit', async () => {
    const stores = [await open(), await open()] as const

    const added = await Promise.all(
      times(50, (index) => stores[index % 2 === 0 ? 0 : 1].elicitations.add(anElicitation(), limitedTo(10))),
    )
    expect(added.filter(({ kind }) => kind === 'added')).toHaveLength(10)
    expect(added.filter(({ kind }) => kind === 'full')).toHaveLength(40)
  })

  test('concurrent asking and answering of the same question never fails and never leaves two open', async () => {
    const store = await open()
    const person = async () => {
      for (let round = 0; round < 20; round++) {
        const mine = anElicitation({ identity: 'the same' })
        const added = await store.elicitations.add(mine, limitedTo(10))
        if (added.kind === 'full') return expect.unreachable()
        await store.elicitations.saveIfUnchanged(answered(added.kind === 'joined' ? added.elicitation : mine))
      }
    }

    await Promise.all(times(10, person))
    expect(await store.elicitations.listOpen([alice], 10)).toEqual([])
  })

  test('concurrent clean-ups delete each record once', async () => {
    const store = await open()
    const kept = await Promise.all(times(60, () => asked(store)))
    await Promise.all(kept.map((one) => store.elicitations.saveIfUnchanged(answered(one))))

    const deleted = await Promise.all(times(6, () => store.elicitations.deleteSettled(new Date('2027-01-01'), 1_000)))
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(60)
  })

  test('concurrent clean-ups delete each step once', async () => {
    const store = await open()
    await Promise.all(times(60, (n) => store.steps.claim({ walkId: `${n}`, name: 'call' }, new Date('2026-01-01'))))

    const deleted = await Promise.all(times(6, () => store.steps.deleteSteps(new Date('2027-01-01'), 1_000)))
    expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(60)
  })

  test('a name that is forgotten while its answer is resealed is not restored', async () => {
    const store = await open()
    const kept = await asked(store, { requester: { participant: bob, client: 'c' } })
    const seal = (key: string) => ({ action: 'accept', sealed: { key, box: 'v1.x' } }) as const
    const by = { participant: alice, via: 'page' } as const
    const at = new Date('2026-01-01T00:01:00Z')
    const first = withState(kept, { kind: 'answered', answer: seal('old'), by, at })
    await store.elicitations.saveIfUnchanged(first)

    await store.elicitations.forget(alice)
    await store.elicitations.saveIfUnchanged(withState(first, { kind: 'answered', answer: seal('new'), by, at }))
    expect((await store.elicitations.get(kept.id))?.state).toEqual({
      kind: 'answered',
      answer: seal('new'),
      by: { ...by, participant: forgottenParticipant },
      at,
    })
  })
})

describe('notification', () => {
  test('an answer through one store notifies a watcher of another at once', async () => {
    const [here, there] = [await open(), await open()]
    const latencies: number[] = []
    const writes: number[] = []
    // The first watch also opens the connection.
    for (let round = 0; round < 20; round++) {
      const kept = await asked(here)
      const notice = notified(there, kept)
      const start = performance.now()
      await here.elicitations.saveIfUnchanged(answered(kept))
      writes.push(performance.now() - start)
      await notice
      latencies.push(performance.now() - start)
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[10] as number
    // A store that is not notified finds the answer when it looks, every five seconds.
    expect(median(latencies)).toBeLessThan(Math.max(500, median(writes) * 10))
  })

  test('a watcher of a forgotten question is notified', async () => {
    const [here, there] = [await open(), await open()]
    const kept = await asked(here)
    const notice = notified(there, kept)

    await here.elicitations.forget(alice)
    await notice
  })

  test('an answer given while the connection was down is found after reconnecting', async () => {
    const [here, there] = [await open(), await open()]
    const [first, second] = [await asked(here), await asked(here)]
    const heardFirst = notified(there, first)
    await here.elicitations.saveIfUnchanged(answered(first))
    await heardFirst
    const notice = notified(there, second)

    const down = database.restart(600)
    await answerPatiently(here, second)
    await Promise.all([notice, down])
  })

  test('a connection that was cut without notice is detected, and missed answers are found', async () => {
    const [here, proxy] = [await open(), await startProxy(database.url)]
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

  test('a thousand watchers are all notified although the server restarts meanwhile', async () => {
    const server = await privatePostgres()
    onTestFinished(() => server.stop())
    const [here, there] = [await openPostgresStore(server.url), await openPostgresStore(server.url)]
    try {
      const kept = await Promise.all(times(1_000, () => asked(here)))
      const notice = Promise.all(kept.map((one) => notified(there, one)))

      const answering = kept.map(async (one, index) => {
        await sleep(index)
        await answerPatiently(here, one)
      })
      await sleep(300)
      await server.restart(300)
      await Promise.all(answering)
      await notice
    } finally {
      await Promise.all([here.close(), there.close()])
    }
  })
})

describe('attacks', () => {
  test('an id that PostgreSQL cannot store is not found, and watching it does not affect other watchers', async () => {
    const store = await open()
    const bad = 'a\0b'
    const unwatch = store.changes.watch(bad as ElicitationId, () => {})
    const kept = await asked(store)

    expect(await store.elicitations.get(bad as ElicitationId)).toBeUndefined()
    expect(await store.elicitations.latestAnswered(alice, bad)).toBeUndefined()
    expect(await store.elicitations.listOpen([alice, `group:${bad}`], 9)).toEqual([kept])
    expect(await store.steps.finish({ walkId: bad, name: 'call' }, { key: 'k', box: 'v1.x' })).toBe(false)
    await store.elicitations.saveIfUnchanged(answered(kept))
    // Watched only now, so that the query for all watched ids must find it.
    await notified(store, kept)
    unwatch()
  })
})

describe('when the server cannot be reached', () => {
  const secret = 'pa55-w0rd'
  const withParts = (parts: Partial<URL>) => Object.assign(new URL(database.url), { password: secret }, parts).href

  test.each([
    ['a wrong password', () => withParts({}), 'password authentication failed'],
    ['no such database', () => Object.assign(new URL(database.url), { pathname: '/nowhere' }).href, 'does not exist'],
    ['nobody at the port', () => withParts({ port: '1' }), 'ECONNREFUSED'],
    [
      'a host of several addresses, none of which answers',
      () => withParts({ hostname: 'localhost', port: '1' }),
      'ECONNREFUSED',
    ],
    ['no such host', () => withParts({ hostname: 'nowhere.invalid' }), 'nowhere.invalid'],
  ])('%s: the store is unavailable, and the detail says why without the password', async (_, url, why) => {
    const error = await failure(openPostgresStore(url()))
    expect(error).toMatchObject({ code: 'store_unavailable', detail: expect.stringContaining(why) })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  })

  test.each([
    'postgres//x',
    'mysql://user:pa55-w0rd@host/db',
    'postgres://user:pa55-w0rd@host:port/db',
    'postgres://a:%E0%A4pa55-w0rd@h/d',
  ])('the address %s is malformed, and the error does not repeat it', async (url) => {
    const error = await failure(openPostgresStore(url))
    expect(error).toMatchObject({ code: 'bad_store_url' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret)
  })

  test('without the driver, the error says what to install', async () => {
    vi.doMock('pg', () => {
      throw new Error('Cannot find package')
    })
    onTestFinished(() => {
      vi.doUnmock('pg')
    })
    await expect(openPostgresStore(database.url)).rejects.toMatchObject({
      code: 'driver_missing',
      message: expect.stringContaining('npm install pg'),
    })
  })

  test('the name is the address without user and password', async () => {
    const { host, pathname } = new URL(database.url)
    expect((await open()).name).toBe(`postgres://${host}${pathname}`)
  })

  test('broken idle connections are replaced', async () => {
    const store = await open()
    const kept = await Promise.all(times(10, () => asked(store)))
    await database.restart(100)
    await sleep(100)

    expect(await store.elicitations.listOpen([alice], 100)).toHaveLength(kept.length)
  })

  test('a statement that the server aborts is reported as unavailable, and the next one works', async () => {
    const store = await open()
    const kept = await asked(store)
    const holder = new pg.Client(database.url)
    holder.on('error', () => {})
    await holder.connect()
    await holder.query('begin')
    await holder.query('lock table assent_elicitation')
    const cutOff = failure(store.elicitations.get(kept.id))
    await sleep(100)
    await database.restart(50)

    expect(await cutOff).toMatchObject({ code: 'store_unavailable' })
    expect(await store.elicitations.get(kept.id)).toEqual(kept)
  })
})

describe('limits in the address', () => {
  const ours = `select count(*)::int as open from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`

  test('connections: no more are opened, however much there is to do', async () => {
    const store = await open(`${database.url}?connections=2&fallback_application_name=x`)
    await Promise.all(times(40, () => asked(store)))
    await expect.poll(async () => (await sql(database.url, ours)).rows).toEqual([{ open: 2 }])
  })

  test.each(['0', 'x', '1e9', ''])('connections=%s is refused', async (connections) => {
    await expect(openPostgresStore(`${database.url}?connections=${connections}`)).rejects.toMatchObject({
      code: 'bad_store_url',
      message: expect.stringContaining('from 1 to 1000'),
    })
  })

  test('statement_timeout: the server ends a statement that takes longer, but no migration', async () => {
    const holder = new pg.Client(database.url)
    holder.on('error', () => {})
    await holder.connect()
    await holder.query('begin')
    // The lock under which migrations run.
    await holder.query('select pg_advisory_xact_lock(4180202607)')
    const opening = open(`${database.url}?statement_timeout=100`)
    await sleep(500)
    await holder.query('rollback')
    const store = await opening
    const kept = await asked(store)

    await holder.query('begin')
    await holder.query('lock table assent_elicitation')
    expect(await failure(store.elicitations.get(kept.id))).toMatchObject({
      code: 'store_unavailable',
      detail: expect.stringContaining('statement timeout'),
    })
    await holder.query('rollback')
    expect(await store.elicitations.get(kept.id)).toEqual(kept)
    await holder.end()
  })
})

describe('closing', () => {
  /** Below the time after which a statement without a reply is given up. */
  const promptly = 25_000

  test('may be repeated; later statements are reported as unavailable', async () => {
    const store = await open()
    const kept = await asked(store)
    await Promise.all([store.close(), store.close()])

    await expect(store.elicitations.get(kept.id)).rejects.toMatchObject({ code: 'store_unavailable' })
    store.changes.watch(kept.id, () => {})()
  })

  test('ends every connection, also while something is watched', async () => {
    const store = await open()
    const kept = await asked(store)
    const notice = notified(store, kept)
    await store.elicitations.saveIfUnchanged(answered(kept))
    await notice
    await store.close()

    const others =
      'select count(*)::int as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    await expect.poll(async () => (await sql(database.url, others)).rows).toEqual([{ others: 0 }])
  })

  test('is quick while the server is down', async () => {
    const proxy = await startProxy(database.url)
    const store = await openPostgresStore(proxy.url)
    store.changes.watch((await asked(store)).id, () => {})
    await proxy.stop()
    await sleep(200)

    const start = performance.now()
    await store.close()
    expect(performance.now() - start).toBeLessThan(promptly)
  })

  test('is quick while the server does not reply, and running statements fail', async () => {
    const proxy = await startProxy(database.url)
    const store = await openPostgresStore(proxy.url)
    const kept = await asked(store)
    store.changes.watch(kept.id, () => {})
    await sleep(200)
    proxy.fallSilent()
    const unanswered = times(20, () => failure(store.elicitations.get(kept.id)))

    const start = performance.now()
    await store.close()
    expect(performance.now() - start).toBeLessThan(promptly)
    for (const error of await Promise.all(unanswered)) expect(error).toMatchObject({ code: 'store_unavailable' })
  })
})
