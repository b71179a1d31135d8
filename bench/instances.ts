import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgres, startPostgres } from '../scripts/private-postgres.js'
import { findRedis, startRedis } from '../scripts/private-redis.js'
import type { PrivateServer } from '../scripts/start-kept.js'
import { type SoakGateway, startInstance } from '../soak/gateway.ts'
import { startUpstream } from '../soak/instances/upstream.ts'
import { systemClock } from '../src/base/clock.ts'
import { type Assent, createAssent } from '../src/index.ts'
import { createPost } from '../src/instance/post.ts'
import { localParticipant } from '../src/participant/participant.ts'
import { envKeys, formatKey, makeKey } from '../src/vault/keys.ts'
import { createVault } from '../src/vault/vault.ts'
import { client, connections, type Message, post } from './mcp-post.ts'
import { median, perSecond, table } from './measure.ts'

/** Each instance makes as many, after as many others: the first thousands of calls of a process cost up to twice as much. */
const calls = 750
const warmUp = 1_500
const approvals = 300
const wakes = 200
const open = 100_000
const keys = formatKey(makeKey())

/** `npm run bench -- instances`: what several instances on one store do a second, and what a call costs them. */
export async function bench(): Promise<void> {
  const [postgresPath, redisPath] = [findPostgres(), findRedis()]
  if (postgresPath === undefined || redisPath === undefined)
    throw new Error(
      'This benchmark needs PostgreSQL and Redis on this machine: apt-get install postgresql redis-server',
    )
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-instances-'))
  const servers: PrivateServer[] = [await startPostgres(postgresPath), await startRedis(redisPath)]
  const [postgres, redis] = servers.map(({ url }) => url) as [string, string]
  try {
    console.log(`Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)}. PostgreSQL with fsync off.\n`)
    await throughput(folder, { SQLite: `sqlite:${join(folder, 'assent.db')}`, PostgreSQL: postgres, Redis: redis })
    await wakeUps({ PostgreSQL: postgres, Redis: redis })
    await manyOpen(postgres)
  } finally {
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

type Stores = Readonly<Record<string, string>>

async function throughput(folder: string, stores: Stores): Promise<void> {
  const upstream = await startUpstream('2026')
  const record = join(folder, 'record')
  await writeFile(record, '')
  const rows: (string | number)[][] = []
  let base: number | undefined
  try {
    for (const [name, store] of Object.entries(stores)) {
      for (const many of name === 'SQLite' ? [1] : [1, 2, 4]) {
        const instances: SoakGateway[] = []
        try {
          const options = { store, keys, record, servers: { up: upstream.url } }
          for (let n = 0; n < many; n++) instances.push(await startInstance(options, 0))
          const ports = instances.map(({ url }) => Number(url.port))
          await callAll(ports, 'run', warmUp * many)
          const before = await cpuOf(instances)
          const allowed = await callAll(ports, 'run', calls * many)
          const cpu = ((await cpuOf(instances)) - before) / (calls * many)
          base ??= cpu
          const { asks, answers } = await approveAll(ports, approvals)
          const costs = [Math.round(cpu), (cpu / base).toFixed(2)]
          rows.push([name, many, perSecond(allowed), perSecond(asks), perSecond(answers), ...costs])
        } finally {
          for (const instance of instances) await instance.kill()
        }
      }
    }
  } finally {
    upstream.close()
  }
  table(
    ['store', 'instances', 'allowed calls/s', 'asks/s', 'answers/s', 'CPU µs of an allowed call', 'of SQLite'],
    rows,
  )
}

async function cpuOf(instances: readonly SoakGateway[]): Promise<number> {
  const used = await Promise.all(instances.map((instance) => instance.memory()))
  return used.reduce((sum, { cpuUs = 0 }) => sum + cpuUs, 0)
}

let lastId = 0

function callAt(port: number, tool: string, more: object = {}, id = `call-${++lastId}`): Promise<Message> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': client,
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  }
  const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': tool }
  const params = { name: tool, arguments: { id, ms: 0 }, ...more, _meta }
  return post(port, { path: '/mcp/up', headers, message: { id: 1, method: 'tools/call', params } }).then(
    ({ last }) => last,
  )
}

/** Does something `count` times, as many at once for each instance, at one after the other. Returns the rate. */
async function inTurn(ports: readonly number[], count: number, one: (port: number, n: number) => Promise<void>) {
  let next = 0
  const began = performance.now()
  const work = async () => {
    for (let n = next++; n < count; n = next++) await one(ports[n % ports.length] as number, n)
  }
  await Promise.all(Array.from({ length: connections * ports.length }, work))
  return (count / (performance.now() - began)) * 1_000
}

const callAll = (ports: readonly number[], tool: string, count: number) =>
  inTurn(ports, count, async (port) => void (await callAt(port, tool)))

/** Each is asked at one instance, and answered at the next. */
async function approveAll(ports: readonly number[], count: number) {
  const asked: { readonly id: string; readonly reply: Message }[] = []
  const asks = await inTurn(ports, count, async (port) => {
    const id = `call-${++lastId}`
    asked.push({ id, reply: await callAt(port, 'careful', {}, id) })
  })
  const yes = { action: 'accept', content: { choice: 'allow_once' } }
  const answers = await inTurn([...ports.slice(1), ports[0] as number], count, async (port, n) => {
    const { id, reply } = asked[n] as (typeof asked)[number]
    const { requestState, inputRequests = {} } = reply.result ?? {}
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, yes]))
    await callAt(port, 'careful', { requestState, inputResponses }, id)
  })
  return { asks, answers }
}

/** How long word takes from one instance to another, and an answer to whoever waits for it elsewhere. */
async function wakeUps(stores: Stores): Promise<void> {
  const rows: (string | number)[][] = []
  for (const [name, store] of Object.entries(stores)) {
    const [one, other] = [await createAssent({ store, keys }), await createAssent({ store, keys })]
    try {
      rows.push([name, ...quartiles(await mailTimes(one, other)), ...quartiles(await answerTimes(one, other))])
    } finally {
      await Promise.all([one.close(), other.close()])
    }
  }
  table(['wake-up of another instance, ms', 'mail p50', 'p95', 'answer p50', 'p95'], rows)
}

const quartiles = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  return [median(sorted).toFixed(1), (sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN).toFixed(1)]
}

async function mailTimes(one: Assent, other: Assent): Promise<number[]> {
  const vault = createVault(envKeys(keys))
  const posts = [one, other].map(({ store }) => createPost({ store, vault, clock: systemClock, onError() {} }))
  const [writer, reader] = posts as [(typeof posts)[number], (typeof posts)[number]]
  for (const each of posts) each.join()
  while (!(await writer.isThere(reader.id))) await new Promise((resolve) => setTimeout(resolve, 20))
  const times: number[] = []
  for (let n = 0; n < wakes; n++) {
    const heard = new Promise<void>((resolve) => {
      const stop = reader.on(`wake ${n}`, () => {
        stop()
        resolve()
      })
    })
    const began = performance.now()
    await writer.send(reader.id, { kind: `wake ${n}` })
    await heard
    times.push(performance.now() - began)
  }
  for (const each of posts) await each.leave()
  return times
}

async function answerTimes(one: Assent, other: Assent): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < wakes; n++) {
    const { elicitation } = await one.ask(question(`wake-${n}`))
    const waiting = one.wait(elicitation.id)
    const answering = { participant: localParticipant, groups: [], via: 'page' } as const
    await new Promise((resolve) => setImmediate(resolve))
    const began = performance.now()
    await other.answer(elicitation.id, answering, { action: 'accept', content: { branch: 'main' } })
    await waiting
    times.push(performance.now() - began)
  }
  return times
}

function question(type: string) {
  const schema = { type: 'object' as const, properties: { branch: { type: 'string' as const } }, required: ['branch'] }
  return {
    question: { mode: 'form' as const, message: 'Which branch?', schema },
    type,
    origin: { server: 'bench' },
    requester: { participant: localParticipant, client: 'bench' },
  }
}

/** Copies of one question in the tables, put to 1,000 people, because asking 100,000 times would take most of the time of this benchmark. */
async function manyOpen(store: string): Promise<void> {
  const limits = { openPerRequester: 1_000_000, openPerParticipant: 1_000_000 }
  const assent = await createAssent({ store, keys, limits, clocks: { question: '1d', tidy: 0 } })
  const database = new pg.Client(store)
  await database.connect()
  try {
    const empty = await timesOf(assent, 'before')
    const { elicitation } = await assent.ask(question('copied'))
    await database.query(
      `insert into assent_elicitation overriding system value
        select made.* from assent_elicitation asked, generate_series(1, ${open}) as n, lateral jsonb_populate_record(asked,
          jsonb_build_object('id', gen_random_uuid()::text, 'type', 'copied-' || n, 'identity', 'copied-' || n,
            'participant', 'person-' || (n % 1000), 'requester', 'requester-' || (n % 1000),
            'seq', nextval(pg_get_serial_sequence('assent_elicitation', 'seq')))) as made
        where asked.id = $1`,
      [elicitation.id],
    )
    await database.query(
      `insert into assent_waiting (answerer, seq) select participant, seq from assent_elicitation where identity like 'copied-%'`,
    )
    await database.query('analyze')
    const full = await timesOf(assent, 'after')
    table(
      ['PostgreSQL, ms', 'ask', 'answer', 'first page of an inbox'],
      [
        ['no open question', ...empty],
        [`${open.toLocaleString('en')} of 1,000 people`, ...full],
      ],
    )
  } finally {
    await database.end()
    await assent.close()
  }
}

async function timesOf(assent: Assent, name: string): Promise<string[]> {
  const [asks, answers, pages]: [number[], number[], number[]] = [[], [], []]
  const timed = async <T>(times: number[], work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const done = await work()
    times.push(performance.now() - began)
    return done
  }
  const answering = { participant: localParticipant, groups: [], via: 'page' } as const
  for (let n = 0; n < 100; n++) {
    const { elicitation } = await timed(asks, () => assent.ask(question(`${name}-${n}`)))
    const answer = { action: 'accept', content: { branch: 'main' } } as const
    await timed(answers, () => assent.answer(elicitation.id, answering, answer))
    if (n % 10 === 0) await timed(pages, () => assent.listOpen({ participant: localParticipant, groups: [] }, 50))
  }
  return [asks, answers, pages].map((times) => median(times).toFixed(1))
}
