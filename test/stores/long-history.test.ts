import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { GrantId } from '../../src/approval/grant/grant.ts'
import { exportAudit } from '../../src/audit/export.ts'
import { type Assent, createAssent } from '../../src/index.ts'
import { createSqliteChanges } from '../../src/stores/sqlite/changes.ts'
import { openSqlite, type SqliteDatabase } from '../../src/stores/sqlite/driver.ts'
import { sqliteElicitations } from '../../src/stores/sqlite/elicitations.ts'
import { sqliteGrants } from '../../src/stores/sqlite/grants.ts'
import { migrateSqlite } from '../../src/stores/sqlite/migrations.ts'
import { openSqliteStore } from '../../src/stores/sqlite/open.ts'
import { sqliteSteps } from '../../src/stores/sqlite/steps.ts'
import { createWriter } from '../../src/stores/sqlite/writer.ts'
import type { Store } from '../../src/stores/store.ts'
import { limitedTo } from '../../src/testing/elicitations.ts'
import { alice, anElicitation, answered, bob, fixedClock } from '../../src/testing/index.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { temporaryFolder } from '../support/temporary.ts'

const day = 24 * 3_600_000
const events = 6_000
const others = 2_500
/** A slice, and what a store is asked besides. */
const mostAtOnce = 1_100

test('with a long history, no turn of the event loop works on more than a slice of it', async () => {
  const { store, work } = countingWork(await openSqliteStore(join(await temporaryFolder(), 'assent.db')))
  const clock = fixedClock()
  const keys = formatKey(makeKey())
  const retain = { audit: '30d', settled: '30d' } as const
  const assent = await createAssent({ store, keys, clock, clocks: { tidy: 0 }, retain, policy: { default: 'allow' } })
  onTestFinished(() => assent.close())
  for (let n = 0; n < events; n += 500) {
    await Promise.all(Array.from({ length: 500 }, () => assent.record({ kind: 'custom:old', who: alice })))
  }
  await fillOthers(store, clock.now())
  clock.advance(60 * day)

  const works: readonly (readonly [name: string, run: () => Promise<unknown>, atLeast: number])[] = [
    ['calls', () => Promise.all(Array.from({ length: 20 }, (_, n) => call(assent, n))), 20],
    ['verify', () => assent.verifyAudit(), events],
    ['export', () => readAll(exportAudit(assent.store.audit, clock.now())), events],
    ['upkeep that deletes nearly all', () => assent.tidy(), events + others],
    ['upkeep after that', () => assent.tidy(), 0],
  ]
  for (const [name, run, atLeast] of works) {
    work.reset()
    await run()
    expect(work.all(), name).toBeGreaterThanOrEqual(atLeast)
    expect(work.mostInTurn(), name).toBeLessThanOrEqual(mostAtOnce)
  }
}, 120_000)

/** Expired questions, old answers and grants that ended. */
async function fillOthers({ elicitations, grants }: Store, at: Date): Promise<void> {
  const limits = limitedTo(others)
  const each = Array.from({ length: others }, (_, n) => n)
  const question = (n: number, over = {}) =>
    anElicitation({
      id: `q-${n}` as never,
      identity: String(n),
      createdAt: at,
      expiresAt: new Date(+at + day),
      ...over,
    })
  await Promise.all(each.map((n) => elicitations.add(question(n), limits)))
  const old = each.filter((n) => n % 2 === 0)
  await Promise.all(old.map((n) => elicitations.saveIfUnchanged(answered(question(n), undefined, at))))
  const grant = { version: 1, effect: 'allow', participant: alice, server: 'files', grantedBy: alice } as const
  const rest = { uses: { kind: 'many' }, createdAt: at, expiresAt: at } as const
  await Promise.all(each.map((n) => grants.add({ ...grant, ...rest, id: `g-${n}` as GrantId, tool: `tool-${n}` })))
}

async function call({ approvals, record }: Assent, n: number): Promise<void> {
  const asking = { requester: { participant: alice, client: 'test' }, server: 'files', tool: `tool-${n}` }
  await approvals.approve({ call: { ...asking, arguments: {}, definition: 'd', trusted: false }, walkId: `walk-${n}` })
  await record({ kind: 'custom:call', who: alice })
}

async function readAll(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}

/** Counts the records that a store reads, writes or deletes, and the most of them in one turn of the event loop. */
function countingWork(store: Store) {
  let [all, inTurn, most] = [0, 0, 0]

  function count<T>(result: T): T {
    if (inTurn === 0) {
      setImmediate(() => {
        inTurn = 0
      })
    }
    const records = Array.isArray(result) ? result.length : typeof result === 'number' ? result : 1
    all += records
    inTurn += records
    most = Math.max(most, inTurn)
    return result
  }

  function counting<Part extends object>(part: Part): Part {
    return new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          const result: unknown = value.apply(target, args)
          return result instanceof Promise ? result.then(count) : count(result)
        }
      },
    })
  }

  const { elicitations, audit, grants, steps, ...rest } = store
  const parts = {
    elicitations: counting(elicitations),
    audit: counting(audit),
    grants: counting(grants),
    steps: counting(steps),
  }
  const work = {
    all: () => all,
    mostInTurn: () => most,
    reset() {
      all = inTurn = most = 0
    },
  }
  return { store: { ...rest, ...parts }, work }
}

/** What reads a whole table: only what an operator asks for once in a while. */
const rare = /sealed_key <> /

test('no statement about questions, grants or steps reads all of them, or sorts all that are open', async () => {
  const database = await openSqlite(join(await temporaryFolder(), 'assent.db'))
  onTestFinished(() => database.close())
  migrateSqlite(database)
  const prepared: string[] = []
  const recording: SqliteDatabase = {
    ...database,
    prepare(sql) {
      prepared.push(sql)
      return database.prepare(sql)
    },
  }
  const writer = createWriter(database)
  sqliteElicitations(recording, writer, createSqliteChanges(database))
  sqliteGrants(recording, writer)
  sqliteSteps(recording, writer)
  expect(prepared.length).toBeGreaterThan(40)

  const tables = '(elicitation|"?grant"?|step|waiting|e|w)'
  const slow = prepared
    .filter((sql) => !sql.startsWith('PRAGMA') && !rare.test(sql))
    .flatMap((sql) => plansOf(database, sql).map((plan) => ({ sql, plan })))
    .filter(({ plan }) => new RegExp(`^SCAN ${tables}\\b`).test(plan))
  expect(slow).toEqual([])
})

test('forgetting a person of whom there is much changes no more than a slice in one turn of the event loop', async () => {
  const database = await openSqlite(join(await temporaryFolder(), 'assent.db'))
  onTestFinished(() => database.close())
  migrateSqlite(database)
  let [inTurn, most] = [0, 0]
  const counting: SqliteDatabase = {
    ...database,
    prepare(sql) {
      const statement = database.prepare(sql)
      const run: typeof statement.run = (...values) => {
        if (inTurn === 0) {
          setImmediate(() => {
            inTurn = 0
          })
        }
        const changed = statement.run(...values)
        inTurn += changed
        most = Math.max(most, inTurn)
        return changed
      }
      return { ...statement, run }
    },
  }
  const elicitations = sqliteElicitations(counting, createWriter(counting), createSqliteChanges(database))
  const each = Array.from({ length: others }, (_, n) => n)
  const questions = each.map((n) => anElicitation({ id: `q-${n}` as never, identity: String(n) }))
  await Promise.all(questions.map((question) => elicitations.add(question, limitedTo(others))))
  database.exec(`UPDATE elicitation SET voting = '{"votes":[{"by":${JSON.stringify(bob)}}]}'`)
  most = 0

  await elicitations.forget(bob)
  expect(most).toBe(1_000)
  const named = database.prepare('SELECT count(*) AS count FROM elicitation WHERE instr(voting, ?) > 0')
  expect(named.get(bob)?.count).toBe(0)
  expect(await elicitations.forget(alice)).toBe(others)
  expect(most).toBe(1_000)
})

function plansOf(database: SqliteDatabase, sql: string): string[] {
  const values = Array<string>(sql.split('?').length - 1).fill('[]')
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values)
  return rows.map(({ detail }) => String(detail))
}
