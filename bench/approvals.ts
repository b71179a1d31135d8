import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres, startPostgres } from '../scripts/private-postgres.js'
import type { Grant, GrantId } from '../src/approval/grant/grant.ts'
import type { PolicySettings } from '../src/approval/policy/policy-settings.ts'
import type { ToolCall } from '../src/approval/tool-call.ts'
import { type Assent, createAssent } from '../src/index.ts'
import { openSqlite } from '../src/stores/sqlite/driver.ts'
import { alice } from '../src/testing/index.ts'
import { formatKey, makeKey } from '../src/vault/keys.ts'
import { median, table } from './measure.ts'
import { benchVoting } from './voting.ts'

const rounds = 7
const servers = 10
const toolsEach = 1_000
const keys = formatKey(makeKey())
const atDesk = { participant: alice, client: 'bench' }
/** A realistic number of rules, of which the last one decides. */
const policy: PolicySettings = {
  rules: [
    ...Array.from({ length: 20 }, (_, n) => ({ server: `other-${n}`, tool: 'write_*', decide: 'ask' as const })),
    { server: 'free', when: "args.path.startsWith('/tmp')", decide: 'allow' },
  ],
}

interface Contender {
  readonly name: string
  readonly address: string
  readonly inRound: number
  /** The lower bound: one of 10,000 rows, read by its key with a prepared statement. */
  plainRead(key: string): Promise<unknown>
  close(): Promise<void>
}

/** `npm run bench -- approvals`: deciding about a call and looking up its grant, compared with reading one row; and votes. */
export async function bench(): Promise<void> {
  const binaries = findPostgres()
  if (binaries === undefined)
    throw new Error('This benchmark needs PostgreSQL on this machine: apt-get install postgresql')
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  const postgres = await startPostgres(binaries)
  const contenders = [await sqlite(folder), memory(), await postgresql(postgres.url)]
  try {
    console.log(`Node ${process.version}, ${rounds} interleaved rounds, medians, ${servers * toolsEach} grants.\n`)
    const rows: (string | number)[][] = []
    for (const contender of contenders) rows.push(await measured(contender))
    table(['µs each', 'approve, policy allows', 'approve, a grant allows', 'plain read of a row'], rows)
    const places = contenders.map(({ name, address, inRound }) => ({ name, address, keys, inRound: inRound / 10 }))
    await benchVoting(places)
  } finally {
    for (const { close } of contenders) await close()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measured({ name, address, inRound, plainRead }: Contender): Promise<(string | number)[]> {
  const assent = await createAssent({ store: address, keys, policy })
  try {
    for (const grant of grants()) await assent.store.grants.add(grant)
    const works = [
      (n: number) => approve(assent, callOf('free', `tool-${n}`)),
      (n: number) => approve(assent, callOf(`server-${n % servers}`, `tool-${n % toolsEach}`)),
      (n: number) => plainRead(`key-${n % (servers * toolsEach)}`),
    ]
    const taken: number[][] = works.map(() => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, work] of works.entries()) taken[index]?.push(await microseconds(inRound, work))
    }
    return [name, ...taken.map((times) => median(times).toFixed(1))]
  } finally {
    await assent.close()
  }
}

async function microseconds(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < count; n++) await work(n)
  return ((performance.now() - start) * 1_000) / count
}

async function approve({ approvals }: Assent, call: ToolCall): Promise<void> {
  const { kind } = await approvals.approve({ call, walkId: 'bench' })
  if (kind !== 'approved') throw new Error(`Expected an approval, but got ${kind}.`)
}

function callOf(server: string, tool: string): ToolCall {
  const given = { path: '/tmp/notes.txt', content: 'hello' }
  return { requester: atDesk, server, tool, arguments: given, definition: 'definition', trusted: false }
}

function* grants(): Iterable<Grant> {
  for (let n = 0; n < servers * toolsEach; n++) {
    yield {
      id: `grant-${n}` as GrantId,
      version: 1,
      effect: 'allow',
      ...atDesk,
      server: `server-${Math.floor(n / toolsEach)}`,
      tool: `tool-${n % toolsEach}`,
      definition: 'definition',
      uses: { kind: 'many' },
      grantedBy: alice,
      createdAt: new Date(),
    }
  }
}

const body = JSON.stringify({ effect: 'allow', definition: 'definition', grantedBy: alice, uses: { kind: 'many' } })
const everyKey = Array.from({ length: servers * toolsEach }, (_, n) => `key-${n}`)

function memory(): Contender {
  const rows = new Map(everyKey.map((key) => [key, body]))
  return {
    name: 'memory',
    address: 'memory:',
    inRound: 1_000,
    plainRead: async (key) => rows.get(key),
    close: async () => rows.clear(),
  }
}

async function sqlite(folder: string): Promise<Contender> {
  const database = await openSqlite(join(folder, 'plain.db'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('CREATE TABLE plain (id TEXT PRIMARY KEY, body TEXT)')
  const insert = database.prepare('INSERT INTO plain VALUES (?, ?)')
  database.exec('BEGIN')
  for (const key of everyKey) insert.run(key, body)
  database.exec('COMMIT')
  const select = database.prepare('SELECT * FROM plain WHERE id = ?')
  return {
    name: 'sqlite',
    address: `sqlite:${join(folder, 'assent.db')}`,
    inRound: 5_000,
    plainRead: async (key) => select.get(key),
    close: async () => database.close(),
  }
}

async function postgresql(url: string): Promise<Contender> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('CREATE TABLE plain (id TEXT PRIMARY KEY, body TEXT)')
  await client.query('INSERT INTO plain SELECT unnest($1::text[]), $2', [everyKey, body])
  return {
    name: 'postgres',
    address: url,
    inRound: 500,
    plainRead: (key) => client.query({ name: 'read', text: 'SELECT * FROM plain WHERE id = $1', values: [key] }),
    close: () => client.end(),
  }
}
