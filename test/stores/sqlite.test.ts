import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Grant, GrantId } from '../../src/approval/grant/grant.ts'
import type { ChainId } from '../../src/audit/event.ts'
import type { Connection } from '../../src/connection/connection.ts'
import type { ParticipantId } from '../../src/participant/participant.ts'
import { auditStatements } from '../../src/stores/sqlite/audit.ts'
import { checkedDatabase, openSqlite, type SqliteDatabase } from '../../src/stores/sqlite/driver.ts'
import { migrateSqlite, sqliteMigrations } from '../../src/stores/sqlite/migrations.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import { createWriter } from '../../src/stores/sqlite/writer.ts'
import type { Store } from '../../src/stores/store.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { alice, anElicitation, answered, bob } from '../../src/testing/index.ts'
import { compiled } from '../support/programs.ts'
import { spoilLarge, spoilTable } from '../support/stores/spoil-sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'

const freshPath = async () => join(await temporaryFolder(), 'assent.db')

async function plainDatabase(path?: string): Promise<SqliteDatabase> {
  const database = await openSqlite(path ?? (await freshPath()))
  onTestFinished(() => database.close())
  return database
}

const aConnection: Connection = {
  id: 'c',
  version: 1,
  participant: alice,
  provider: 'github',
  scopes: [],
  standing: 'good',
  sealed: { key: 'k', box: 'v1.x' },
  renewable: true,
  obtained: { at: new Date(0), by: 'consent' },
  connectedAt: new Date(0),
}

const aGrant: Grant = {
  id: 'g' as GrantId,
  version: 1,
  effect: 'allow',
  participant: bob,
  server: 'github',
  uses: { kind: 'many' },
  grantedBy: bob,
  createdAt: new Date(0),
}

describe('the driver', () => {
  test('stores every supported value, and refuses any other before SQLite gets it', async () => {
    const database = await plainDatabase()
    const echo = database.prepare('SELECT ? AS value')
    const keepable = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
    fc.assert(
      fc.property(keepable, (value) => {
        expect(echo.get(value)?.value).toBe(value)
      }),
    )
    const unkeepable = fc.oneof(
      fc.boolean(),
      fc.date(),
      fc.object(),
      fc.uint8Array(),
      fc.bigInt(),
      fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, Symbol('x'), () => {}),
    )
    fc.assert(
      fc.property(unkeepable, (value) => {
        expect(() => echo.get(value as never)).toThrow(expect.objectContaining({ code: 'bad_argument' }))
      }),
    )
  })

  test.each([[[]], [['a', 'b']]])('refuses too few and too many values (%j)', async (values) => {
    const database = await plainDatabase()
    const statement = database.prepare('SELECT ? AS value')
    for (const run of [statement.run, statement.get, statement.all])
      expect(() => run(...values)).toThrow('needs 1 values')
  })

  test('also accepts a database that the caller opened', () => {
    const native = {
      exec: () => {},
      close: () => {},
      prepare: () => ({ run: () => ({ changes: 2n }), get: () => undefined, all: () => [] }),
    }
    expect(checkedDatabase(native).prepare('DELETE FROM x').run()).toBe(2)
  })
})

describe('the file', () => {
  test('is created with its folder, which other users may not enter', async () => {
    const folder = join(await temporaryFolder(), 'new')
    const store = await openSqliteStore(join(folder, 'assent.db'))
    await store.close()
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect(await readdir(folder)).toContain('assent.db')
  })

  test('that is not a database is reported, and is not changed', async () => {
    const path = await freshPath()
    await writeFile(path, 'this is no database, but somebody’s diary'.repeat(50))
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('attack: a page in the middle is spoiled; it is found at the next start, with the remedy', async () => {
    const path = await freshPath()
    await (await openSqliteStore(path)).close()
    await spoilTable(path, 'browser')
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'store_damaged',
      message: expect.stringContaining(`sqlite3 ${path} .recover`),
      detail: expect.stringMatching(/page \d+/),
    })
  })

  test('that is large is opened without a check, which would take long, and says when asked what is damaged', async () => {
    const path = await freshPath()
    const store = await openSqliteStore(path)
    expect(await store.findDamage()).toEqual([])
    await store.close()
    await spoilLarge(path)
    const spoiled = await openSqliteStore(path)
    expect(await spoiled.findDamage()).toContainEqual(expect.stringMatching(/page 2500/))
    await spoiled.close()
  })

  test.each(['process', 'power'] as const)('is configured for what it must survive (%s)', async (survives) => {
    const path = await freshPath()
    const store = await openSqliteStore(path, { survives })
    const asked = anElicitation()
    await store.elicitations.add(asked, limitedTo(10))
    await store.close()
    const again = await openSqliteStore(path)
    onTestFinished(() => again.close())
    expect(await again.elicitations.get(asked.id)).toEqual(asked)
  })

  test('that another process locks for too long is reported, and nothing is lost', async () => {
    const path = await freshPath()
    const store = await openSqliteStore(path, { busyMs: 50 })
    onTestFinished(() => store.close())
    const asked = anElicitation()
    await store.elicitations.add(asked, limitedTo(10))
    const other = await plainDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.elicitations.saveIfUnchanged(answered(asked))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await expect(store.elicitations.forget(asked.requester.participant)).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(await store.elicitations.get(asked.id)).toEqual(asked)
    other.exec('ROLLBACK')
    expect(await store.elicitations.saveIfUnchanged(answered(asked))).toBe(true)
  })

  test('contains no byte of forgotten data', async () => {
    const path = await freshPath()
    const store = await openSqliteStore(path)
    onTestFinished(() => store.close())
    const marks = ['elicitation', 'browser', 'connection', 'flow', 'grant'].map((name) => `unforgettable-${name}`)
    const [question, name, account, provider, client] = marks as [string, string, string, string, string]
    const participant = 'unforgettable-person@https://login.example.com' as ParticipantId
    const [createdAt, sealed] = [new Date(0), { key: 'k', box: 'v1.x' }]
    const elicitation = anElicitation({
      requester: { participant, client: 'c' },
      answerers: { anyOf: [participant], through: 'page' },
      metadata: { question },
    })
    await store.elicitations.add(elicitation, limitedTo(10))
    const known = { participant, groups: [], by: 'link', name, createdAt, expiresAt: createdAt } as const
    await store.browsers.add({ id: 'b', key: 'k', ...known })
    await store.connections.put({ ...aConnection, participant, account })
    const flow = { id: 'f', participant, provider, browser: 'k', scopes: [], redirectUri: '', sealed, createdAt }
    await store.connections.addFlow({ ...flow, expiresAt: createdAt })
    await store.grants.add({ ...aGrant, participant, grantedBy: participant, client })
    await store.grants.add({ ...aGrant, id: 'g2' as GrantId, grantedBy: participant })

    for (const room of [store.grants, store.connections, store.browsers, store.elicitations]) {
      expect(await room.forget(participant)).toBe(1)
    }
    const left = []
    for (const file of ['assent.db', 'assent.db-wal']) {
      const bytes = await readFile(join(path, '..', file))
      left.push(...[...marks, participant].filter((mark) => bytes.includes(mark)))
    }
    expect(left).toEqual([])
  })

  test('that is read-only is reported', async () => {
    if (process.getuid?.() === 0) return
    const path = await freshPath()
    await (await openSqliteStore(path)).close()
    await chmod(path, 0o400)
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'store_unavailable' })
  })
})

describe('a file with a long history', () => {
  /** Fills chains with events whose MACs nobody checks here. */
  async function withHistory(path: string, events: number) {
    const store = await openSqliteStore(path)
    onTestFinished(() => store.close())
    const database = await plainDatabase(path)
    database.exec(`
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${events - 1})
      INSERT INTO audit_event (chain, seq, at, kind, data, prev, mac)
      SELECT 'chain-' || (i % 10), i / 10 + 1, i, 'call-ended', '{"status":"done"}', 'prev', 'mac ' || i FROM n`)
    return { store, database }
  }

  test('is not read as a whole to find where its chains begin and end', async () => {
    const { store, database } = await withHistory(await freshPath(), 1_000)
    expect(await store.audit.heads(2)).toEqual([
      { chain: 'chain-9', seq: 100, mac: 'mac 999' },
      { chain: 'chain-8', seq: 100, mac: 'mac 998' },
    ])
    expect((await store.audit.chains()).map(({ chain }) => chain)).toEqual(
      Array.from({ length: 10 }, (_, index) => `chain-${index}`),
    )
    const plans = auditStatements.flatMap((sql) => {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(1))
      return rows.map(({ detail }) => String(detail))
    })
    expect(plans.length).toBeGreaterThan(10)
    expect(plans.filter((detail) => /^SCAN (audit_event|event|last)\b/.test(detail))).toEqual([])
  })

  test('becomes smaller after upkeep deleted from it', async () => {
    const path = await freshPath()
    const { store, database } = await withHistory(path, 20_000)
    const size = () => Number(database.prepare('PRAGMA page_count').get()?.page_count)
    const before = size()
    for (let chain = 0; chain < 10; chain += 1) {
      await store.audit.prune({ chain: `chain-${chain}` as ChainId, seq: 1_990, mac: 'm', anchorMac: 'a' })
    }
    expect(size()).toBe(before)
    while (await store.shrink());
    expect(size()).toBeLessThan(before / 4)
    expect(await store.findDamage()).toEqual([])
  })

  test('that was made without the setting keeps its size, and nothing fails', async () => {
    const path = await freshPath()
    const old = await plainDatabase(path)
    old.exec('PRAGMA journal_mode = WAL; CREATE TABLE filler (x TEXT)')
    old.exec(`INSERT INTO filler VALUES ('${'x'.repeat(2_000_000)}'); DELETE FROM filler`)
    const store = await openSqliteStore(path)
    onTestFinished(() => store.close())
    expect(Number(old.prepare('PRAGMA freelist_count').get()?.freelist_count)).toBeGreaterThan(0)
    expect(await store.shrink()).toBe(false)
  })
})

describe('writing', () => {
  test('concurrently uses one transaction, and a write that fails does not affect the others', async () => {
    const database = await plainDatabase()
    database.exec('CREATE TABLE t (x INTEGER UNIQUE)')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const writer = createWriter(database)
    const twice = (x: number) => () => insert.run(x) + insert.run(x)
    const results = await Promise.allSettled([
      writer.write(() => insert.run(1)),
      writer.write(twice(2)),
      writer.writeOne(() => insert.run(3)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(
      database
        .prepare('SELECT x FROM t ORDER BY x')
        .all()
        .map(({ x }) => x),
    ).toEqual([1, 3])
  })

  test('while another process writes waits once for all writes, not once for each', async () => {
    let begun = 0
    const locked: SqliteDatabase = {
      exec: () => {},
      close: () => {},
      prepare: (sql) => ({
        get: () => undefined,
        all: () => [],
        run() {
          if (!sql.startsWith('BEGIN')) return 0
          begun++
          throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
        },
      }),
    }
    const writer = createWriter(locked)
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => writer.write(() => 1)))
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(begun).toBe(1)
  })

  test('alone is committed as a whole or not at all', async () => {
    const database = await plainDatabase()
    database.exec('CREATE TABLE t (x INTEGER UNIQUE)')
    const insert = database.prepare('INSERT INTO t VALUES (?)')
    const writer = createWriter(database)
    await expect(writer.write(() => insert.run(1) + insert.run(1))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(database.prepare('SELECT count(*) AS n FROM t').get()?.n).toBe(0)
    await writer.drained()
    void writer.writeOne(() => insert.run(1))
    await writer.drained()
    expect(database.prepare('SELECT count(*) AS n FROM t').get()?.n).toBe(1)
  })
})

describe('looking up grants', () => {
  test('among ten thousand of one participant takes about as long as among ten', async () => {
    const store = await openSqliteStore(await freshPath())
    onTestFinished(() => store.close())
    const add = (from: number, to: number) =>
      Promise.all(
        Array.from({ length: to - from }, (_, index) => {
          const [id, tool] = [`g${from + index}` as GrantId, `tool ${from + index}`]
          const call = { kind: 'once', requester: 'r', call: tool } as const
          return store.grants.add(index % 2 ? { ...aGrant, id, tool } : { ...aGrant, id, tool, uses: call })
        }),
      )
    await add(0, 10)
    const few = await quickest(store)
    await add(10, 20_000)
    expect(await quickest(store)).toBeLessThan(few * 5)
  })

  /** The best of many measurements, so that a busy machine does not matter. */
  async function quickest({ grants }: Store): Promise<number> {
    const took: number[] = []
    for (let round = 0; round < 200; round++) {
      const begun = performance.now()
      expect(await grants.listFor(bob, 'github', 'tool 7')).toHaveLength(1)
      expect(await grants.listOnce('r', 'tool 8')).toHaveLength(1)
      took.push(performance.now() - begun)
    }
    return Math.min(...took)
  }
})

describe('the schema', () => {
  test('is created once by eight stores that start at once, and all of them use it', async () => {
    const path = await freshPath()
    const stores = await Promise.all(Array.from({ length: 8 }, () => openSqliteStore(path)))
    for (const [index, { elicitations }] of stores.entries()) {
      expect(await elicitations.add(anElicitation({ identity: `${index}` }), limitedTo(10))).toEqual({ kind: 'added' })
    }
    for (const { elicitations } of stores) expect(await elicitations.listAllOpen(10)).toHaveLength(8)
    for (const store of stores) await store.close()
    expect(await schemaOf(path)).toEqual(await schemaOf(await openedOnce()))
  })

  test('is created once by three processes that wait for each other', async () => {
    const path = await freshPath()
    const database = await plainDatabase(path)
    database.exec('PRAGMA journal_mode = WAL')
    // All three find the file without a schema, and wait for the lock. When they get it, the schema is there.
    database.exec('BEGIN IMMEDIATE')
    const processes = ['a', 'b', 'c'].map((identity) => opening(path, identity))
    await Promise.all(processes.map(({ began }) => began))
    await new Promise((resolve) => setTimeout(resolve, 300))
    for (const step of sqliteMigrations) database.exec(step)
    database.exec(`PRAGMA user_version = ${sqliteMigrations.length}`)
    database.exec('COMMIT')

    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual(['opened', 'opened', 'opened'])
    const store = await openSqliteStore(path)
    onTestFinished(() => store.close())
    expect(await store.elicitations.listAllOpen(10)).toHaveLength(3)
    expect(await schemaOf(path)).toEqual(await schemaOf(await openedOnce()))
  })

  test('of a newer version is not changed, and the error says what to do', async () => {
    const path = await freshPath()
    const database = await plainDatabase(path)
    database.exec('PRAGMA user_version = 99')
    await expect(openSqliteStore(path)).rejects.toMatchObject({
      code: 'schema_newer',
      message: expect.stringContaining('Start the newer version'),
    })
    expect(database.prepare('PRAGMA user_version').get()?.user_version).toBe(99)
  })

  test.each(sqliteMigrations.map((_, version) => version))('of version %d is migrated', async (version) => {
    const path = await freshPath()
    const database = await plainDatabase(path)
    for (const step of sqliteMigrations.slice(0, version)) database.exec(step)
    database.exec(`PRAGMA user_version = ${version}`)
    migrateSqlite(database)
    const store = await openSqliteStore(path)
    onTestFinished(() => store.close())
    expect(await store.elicitations.add(anElicitation(), limitedTo(10))).toEqual({ kind: 'added' })
  })
})

async function openedOnce(): Promise<string> {
  const path = await freshPath()
  await (await openSqliteStore(path)).close()
  return path
}

/** The version of the schema, its statements, and how often it was changed. */
async function schemaOf(path: string) {
  const database = await plainDatabase(path)
  return {
    version: database.prepare('PRAGMA user_version').get()?.user_version,
    changes: database.prepare('PRAGMA schema_version').get()?.schema_version,
    statements: database.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all(),
  }
}

/** A process that opens the store at this path: when it began, and how it ended. */
function opening(path: string, identity: string) {
  const child = fork(compiled(new URL('./open-process.ts', import.meta.url)), [path, identity], { execArgv: [] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const began = once(child, 'message')
  return { began, ended: began.then(() => once(child, 'message')).then(([message]) => message) }
}
