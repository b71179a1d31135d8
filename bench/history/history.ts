import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolCall } from '../../src/approval/tool-call.ts'
import { exportAudit } from '../../src/audit/export.ts'
import { giveWay } from '../../src/base/give-way.ts'
import type { Assent } from '../../src/index.ts'
import { createWeb } from '../../src/web/index.ts'
import { median, table } from '../measure.ts'
import { type Amounts, chains, fill, openAssent, person } from './fill.ts'
import { type Watched, watched } from './stops.ts'

const events = Number(process.argv[3] ?? 1_000_000)
const others = Math.min(100_000, Math.round(events / 10))
const calls = 2_000
const rounds = 5

/**
 * `npm run bench -- history [events]`: a SQLite store with a long history, compared with an empty one: what a call costs,
 * and the longest time for which the process does nothing else.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-bench-'))
  try {
    const [empty, full] = [join(folder, 'empty.db'), join(folder, 'full.db')]
    const amounts: Amounts = { events, questions: others, grants: others }
    const filling = await watched(() => fill(full, amounts))
    const [many, some] = [events, others].map((count) => count.toLocaleString('en'))
    console.log(`Node ${process.version}. ${many} events in ${chains} chains, ${some} questions and ${some} grants:`)
    console.log(`${await megabytes(full)} MB, filled in ${Math.round(filling.ms / 1_000)} s.`)
    console.log(`Load average ${loadavg()[0]?.toFixed(1)}. All stops are CPU time.\n`)
    await compareCalls(empty, full)
    await openPages(empty, full)
    await upkeep(full)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const megabytes = async (path: string) => Math.round((await stat(path)).size / 1e6)

async function compareCalls(...paths: string[]): Promise<void> {
  const rows = paths.map((path) => ({ path, starts: [] as number[], stops: [] as number[], costs: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { path, starts, stops, costs } of rows) {
      let assent: Assent | undefined
      const start = await watched(async () => {
        assent = await openAssent(path)
        await run(assent, 1)
      })
      const many = await watched(() => run(assent as Assent, calls))
      await assent?.close()
      starts.push(start.stop)
      stops.push(many.stop)
      costs.push((many.cpu * 1_000) / calls)
    }
  }
  table(
    ['', 'longest stop at start, ms', 'longest stop in calls, ms', 'µs CPU for a call'],
    rows.map(({ path, starts, stops, costs }) => [
      nameOf(path),
      ...[starts, stops, costs].map((values) => median(values).toFixed(1)),
    ]),
  )
}

const nameOf = (path: string) => (path.endsWith('empty.db') ? 'empty store' : 'long history')

/** What the walk of an allowed call asks of the store: one look at the grants, and two events. */
async function run({ approvals, record }: Assent, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { kind } = await approvals.approve({ call: callOf(`tool-${n}`), walkId: `walk-${n}` })
    if (kind !== 'approved') throw new Error(`Expected an approval, but got ${kind}.`)
    await record({ kind: 'custom:bench', who: person })
    await record({ kind: 'custom:bench', who: person })
    // As between two requests.
    await giveWay()
  }
}

const callOf = (tool: string): ToolCall => ({
  requester: { participant: person, client: 'bench' },
  server: 'files',
  tool,
  arguments: { path: '/tmp/notes.txt' },
  definition: 'definition',
  trusted: false,
})

const pages = ['/inbox', '/inbox/history', '/grants', '/audit', '/console', '/console/permissions']

/** Each page over HTTP, several times. */
async function openPages(...paths: string[]): Promise<void> {
  const rows: Record<string, Watched[]>[] = []
  for (const path of paths) {
    const assent = await openAssent(path)
    const web = createWeb(assent, { limits: { perAddressPerMinute: 1_000_000 }, onError: console.error })
    const server = createServer(web.node)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const enrolling = new Request(await web.enrollLink(), { method: 'POST', body: new URLSearchParams() })
    const [cookie = ''] = (await web.fetch(enrolling)).headers.getSetCookie()
    const open = (page: string) => opened(`http://127.0.0.1:${port}${page}`, cookie.split(';')[0] ?? '')
    const found: Record<string, Watched[]> = {}
    for (let round = 0; round <= rounds; round++) {
      for (const page of pages) {
        const one = await watched(() => open(page))
        if (round > 0) found[page] = [...(found[page] ?? []), one]
      }
    }
    rows.push(found)
    web.close()
    server.close()
    server.closeAllConnections()
    await assent.close()
  }
  const of = (found: Record<string, Watched[]> | undefined, page: string, what: keyof Watched) =>
    median((found?.[page] ?? []).map((one) => one[what])).toFixed(1)
  table(
    ['page over HTTP', 'ms CPU, empty', 'ms CPU, long history', 'longest stop, ms'],
    pages.map((page) => [page, of(rows[0], page, 'cpu'), of(rows[1], page, 'cpu'), of(rows[1], page, 'stop')]),
  )
}

function opened(url: string, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { cookie, host: '127.0.0.1:4180' } }, (reply) => {
      reply.resume()
      reply.on('end', () => (reply.statusCode === 200 ? resolve() : reject(new Error(`${url}: ${reply.statusCode}`))))
    }).on('error', reject)
  })
}

async function upkeep(path: string): Promise<void> {
  const assent = await openAssent(path)
  const before = await megabytes(path)
  const verify = await watched(async () => {
    const { found } = await assent.verifyAudit()
    if (found > 0) throw new Error(`The verification found ${found} faults.`)
  })
  const exported = await watched(async () => {
    for await (const _ of exportAudit(assent.store.audit, new Date()));
  })
  let said = ''
  let deleted = 0
  const tidy = await watched(async () => {
    const { deletedEvents, deletedQuestions, expired } = await assent.tidy()
    deleted = deletedEvents
    said = [deletedEvents, deletedQuestions, expired].map((count) => count.toLocaleString('en')).join(' / ')
  })
  const again = await watched(() => assent.tidy())
  await assent.close()
  const after = await megabytes(path)
  const row = (name: string, { stop, ms, cpu }: Watched, each?: number) => [
    name,
    (ms / 1_000).toFixed(1),
    (cpu / 1_000).toFixed(1),
    stop.toFixed(1),
    each === undefined ? '' : ((cpu * 1_000) / Math.max(1, each)).toFixed(1),
  ]
  table(
    ['', 'seconds', 'of CPU', 'longest stop, ms', 'µs CPU an event'],
    [
      row('audit verify', verify, events),
      row('audit export', exported, events),
      row('upkeep that retains 30 days', tidy, deleted),
      row('upkeep with nothing to do', again),
    ],
  )
  console.log(`Deleted ${said} events / questions / expired. The file had ${before} MB, and has ${after} MB now.`)
}
