import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostgres, startPostgres } from '../scripts/private-postgres.js'
import { type Ask, type Assent, createAssent, type ElicitationId } from '../src/index.ts'
import { openSqlite } from '../src/stores/sqlite/driver.ts'
import { alice } from '../src/testing/index.ts'
import { formatKey, makeKey } from '../src/vault/keys.ts'
import { median, perSecond, rate, table } from './measure.ts'

const rounds = 5
const inRound = { memory: 2_000, sqlite: 1_000, postgres: 200 }
const atOnce = 100
const wakes = 50
const keys = formatKey(makeKey())
const limits = { openPerRequester: 1_000_000 }

/** A store, and a lower bound for it: the same bytes as plain rows with prepared statements. */
interface Contender {
  readonly name: keyof typeof inRound
  readonly address: string
  /** Inserts a row, updates it and reads it, each in a transaction of its own. */
  plain(row: string): Promise<unknown>
  /** The bytes that the store has written to disk, or holds in memory. */
  bytes(): Promise<number>
  close(): Promise<void>
}

/** `npm run bench -- stores` */
export async function bench(): Promise<void> {
  const binaries = findPostgres()
  if (binaries === undefined)
    throw new Error('This benchmark needs PostgreSQL on this machine: apt-get install postgresql')
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const postgres = await startPostgres(binaries)
  const contenders = [memory(), await sqlite(folder), await postgresql(postgres.url)]
  try {
    console.log(
      `Node ${process.version}, ${rounds} interleaved rounds, medians. PostgreSQL with fsync off; SQLite in WAL.\n`,
    )
    await throughput(contenders)
    await wakeTimes(contenders.slice(1))
    await memoryOfOpenQuestions()
  } finally {
    for (const { close } of contenders) await close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

let asked = 0
const question = (): Ask => ({
  question: {
    mode: 'form',
    message: 'Which branch should be deployed?',
    schema: {
      type: 'object',
      properties: { branch: { type: 'string', title: 'Branch', maxLength: 80 } },
      required: ['branch'],
    },
  },
  type: `branch-${++asked}`,
  origin: { server: 'deploy' },
  requester: { participant: alice, client: 'bench' },
})

async function askAndAnswer(assent: Assent): Promise<string> {
  const ask = question()
  const { elicitation } = await assent.ask(ask)
  const answering = { participant: alice, groups: [], via: 'page' } as const
  await assent.answer(elicitation.id, answering, { action: 'accept', content: { branch: 'main' } })
  return ask.type ?? ''
}

async function throughput(contenders: readonly Contender[]): Promise<void> {
  const open = await Promise.all(contenders.map(({ address }) => createAssent({ store: address, keys, limits })))
  const rates = contenders.map(() => ({
    triple: [] as number[],
    pair: [] as number[],
    together: [] as number[],
    plain: [] as number[],
  }))
  const before = await Promise.all(contenders.map(({ bytes }) => bytes()))
  let records = 0
  for (let round = 0; round <= rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      const assent = open[index] as Assent
      const count = inRound[contender.name]
      const times = async (work: () => Promise<unknown>) => {
        for (let n = 0; n < count; n++) await work()
      }
      const measured = {
        triple: await rate(count, () => times(async () => assent.find(alice, await askAndAnswer(assent)))),
        pair: await rate(count, () => times(() => askAndAnswer(assent))),
        together: await rate(count, async () => {
          for (let n = 0; n < count; n += atOnce)
            await Promise.all(Array.from({ length: atOnce }, () => askAndAnswer(assent)))
        }),
        plain: await rate(count, () => times(() => contender.plain(plainRow))),
      }
      // The first round is a warm-up.
      if (round > 0) for (const [kind, value] of Object.entries(measured)) rates[index]?.[kind as 'pair'].push(value)
      if (index === 1) records += 3 * count
    }
  }
  for (const assent of open) await assent.close()
  const after = await Promise.all(contenders.map(({ bytes }) => bytes()))
  const recordsOf = ({ name }: Contender) => (records / inRound.sqlite) * inRound[name]
  table(
    [
      'a second',
      'ask+answer+find',
      'ask+answer',
      `ask+answer, ${atOnce} at once`,
      'plain insert+update+select',
      'ask+answer / plain',
      'bytes a record',
    ],
    contenders.map((contender, index) => {
      const { triple, pair, together, plain } = rates[index] as (typeof rates)[number]
      const bytes = ((after[index] ?? 0) - (before[index] ?? 0)) / recordsOf(contender)
      const ratio = (median(pair) / median(plain)).toFixed(2)
      return [
        contender.name,
        ...[triple, pair, together, plain].map((all) => perSecond(median(all))),
        ratio,
        Math.round(bytes),
      ]
    }),
  )
}

const plainRow = JSON.stringify({ ...question(), padding: 'x'.repeat(300) })

function memory(): Contender {
  const rows = new Map<string, string>()
  return {
    name: 'memory',
    address: 'memory:',
    async plain(row) {
      const id = crypto.randomUUID()
      rows.set(id, row)
      rows.set(id, `${row} `)
      return rows.get(id)
    },
    bytes: async () => {
      global.gc?.()
      return process.memoryUsage().heapUsed
    },
    close: async () => rows.clear(),
  }
}

async function sqlite(folder: string): Promise<Contender> {
  const path = join(folder, 'assent.db')
  const database = await openSqlite(join(folder, 'plain.db'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = NORMAL')
  database.exec('CREATE TABLE plain (id TEXT PRIMARY KEY, version INTEGER, body TEXT)')
  const insert = database.prepare('INSERT INTO plain VALUES (?, 1, ?)')
  const update = database.prepare('UPDATE plain SET version = 2, body = ? WHERE id = ? AND version = 1')
  const select = database.prepare('SELECT * FROM plain WHERE id = ?')
  return {
    name: 'sqlite',
    address: `sqlite:${path}`,
    async plain(row) {
      const id = crypto.randomUUID()
      insert.run(id, row)
      update.run(row, id)
      return select.get(id)
    },
    bytes: async () => (await stat(path)).size,
    close: async () => database.close(),
  }
}

async function postgresql(url: string): Promise<Contender> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('CREATE TABLE plain (id TEXT PRIMARY KEY, version INTEGER, body TEXT)')
  const query = (name: string, text: string, values: string[]) => client.query({ name, text, values })
  return {
    name: 'postgres',
    address: url,
    async plain(row) {
      const id = crypto.randomUUID()
      await query('insert', 'INSERT INTO plain VALUES ($1, 1, $2)', [id, row])
      await query('update', 'UPDATE plain SET version = 2, body = $1 WHERE id = $2 AND version = 1', [row, id])
      return query('select', 'SELECT * FROM plain WHERE id = $1', [id])
    },
    async bytes() {
      const { rows } = await client.query(`
        SELECT coalesce(sum(pg_total_relation_size(relid)), 0) AS bytes FROM pg_stat_user_tables WHERE relname <> 'plain'`)
      return Number(rows[0].bytes)
    },
    close: () => client.end(),
  }
}

/** The time from an answer in one process until a waiting process has it. */
async function wakeTimes(contenders: readonly Contender[]): Promise<void> {
  const rows: (string | number)[][] = []
  for (const { name, address } of contenders) {
    const child = fork(fileURLToPath(new URL('./answering.ts', import.meta.url)), [address], {
      execArgv: ['--import', 'tsx'],
      env: { ...process.env, ASSENT_KEYS: keys },
    })
    await once(child, 'message')
    const assent = await createAssent({ store: address, keys, limits })
    const taken: number[] = []
    for (let n = 0; n < wakes; n++) {
      const { elicitation } = await assent.ask(question())
      const waiting = assent.wait(elicitation.id).then(() => Date.now())
      // At a random moment between two polls of the file.
      await sleep(20 + ((n * 37) % 100))
      child.send(elicitation.id)
      const [answeredAt] = (await once(child, 'message')) as [number]
      taken.push((await waiting) - answeredAt)
    }
    rows.push([name, median(taken), Math.max(...taken)])
    await assent.close()
    const gone = once(child, 'exit')
    child.disconnect()
    await gone
  }
  table(['an answer in another process wakes a waiter', 'median ms', `worst of ${wakes} ms`], rows)
}

/** The memory that each open question takes while it is waited for. */
async function memoryOfOpenQuestions(): Promise<void> {
  const many = 10_000
  const assent = await createAssent({ store: 'memory:', keys, limits })
  const used = () => {
    if (global.gc === undefined) throw new Error('Run with --expose-gc.')
    global.gc()
    return process.memoryUsage().heapUsed
  }
  const before = used()
  const ids: ElicitationId[] = []
  for (let n = 0; n < many; n++) ids.push((await assent.ask(question())).elicitation.id)
  const asked = used()
  const waiting = ids.map((id) => assent.wait(id))
  await sleep(100)
  const waited = used()
  table(
    ['memory of an open question', 'bytes'],
    [
      ['kept in memory, with its audit event', Math.round((asked - before) / many)],
      ['and somebody waiting for it', Math.round((waited - before) / many)],
    ],
  )
  for (const id of ids) await assent.fail(id, 'measured')
  await Promise.all(waiting)
  await assent.close()
}
