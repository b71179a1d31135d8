import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Grant, GrantId } from '../src/approval/grant/grant.ts'
import type { ToolCall } from '../src/approval/tool-call.ts'
import { auditKey } from '../src/audit/key.ts'
import { openAuditLog } from '../src/audit/log.ts'
import { type Assent, createAssent } from '../src/index.ts'
import { openSqliteStore } from '../src/stores/sqlite/open.ts'
import type { Store } from '../src/stores/store.ts'
import { limitedTo } from '../src/testing/elicitations.ts'
import { alice, anElicitation } from '../src/testing/index.ts'
import { formatKey, makeKey } from '../src/vault/keys.ts'
import { median, table } from './measure.ts'

const day = 24 * 3_600_000
const chains = 21
const keys = formatKey(makeKey())
const requester = { participant: alice, client: 'bench' }
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
    await fill(full)
    const megabytes = Math.round((await stat(full)).size / 1e6)
    console.log(
      `Node ${process.version}. ${events.toLocaleString('en')} events in ${chains} chains, ${others.toLocaleString('en')}`,
    )
    console.log(`open questions and as many grants: ${megabytes} MB.\n`)
    await compareCalls(empty, full)
    await upkeep(full)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Half of the events are older than 30 days. */
async function fill(path: string): Promise<void> {
  const assent = await open(path)
  const key = await auditKey({ store: assent.store.audit, vault: assent.vault })
  const started = Date.now()
  for (let chain = 0; chain < chains; chain++) {
    const clock = { at: new Date(started - 60 * day * (1 - chain / chains)), now: () => clock.at }
    const log = openAuditLog({ store: assent.store.audit, key, clock })
    for (let left = Math.ceil(events / chains); left > 0; left -= 500) {
      const some = Array.from({ length: Math.min(500, left) }, (_, n) =>
        log.record({ kind: 'call-started', who: alice, about: `walk-${n}`, data: { server: 'files', tool: 'read' } }),
      )
      await Promise.all(some)
    }
    await log.close()
  }
  await fillOthers(assent.store)
  await assent.close()
}

async function fillOthers({ grants, elicitations }: Store): Promise<void> {
  const limits = limitedTo(others + 1)
  for (let from = 0; from < others; from += 500) {
    const some = Array.from({ length: 500 }, (_, index) => String(from + index))
    await Promise.all(some.map((n) => grants.add(grantOf(n))))
    await Promise.all(
      some.map((n) => elicitations.add(anElicitation({ id: `q-${n}` as never, identity: n, requester }), limits)),
    )
  }
}

const grantOf = (n: string): Grant => ({
  id: `grant-${n}` as GrantId,
  version: 1,
  effect: 'allow',
  ...requester,
  server: 'other',
  tool: `tool-${n}`,
  definition: 'definition',
  uses: { kind: 'many' },
  grantedBy: alice,
  createdAt: new Date(),
})

const open = (path: string): Promise<Assent> =>
  openSqliteStore(path).then((store) =>
    createAssent({
      store,
      keys,
      policy: { default: 'allow' },
      clocks: { tidy: 0 },
      retain: { audit: '30d', settled: '30d' },
    }),
  )

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/**
 * The longest time for which nothing else could run while this ran, and how long it took, in ms. The stop is measured as
 * CPU time, because on a busy machine other processes take their turns in between.
 */
async function watched(work: () => Promise<unknown>): Promise<{ stop: number; ms: number; cpu: number }> {
  const [from, cpuFrom] = [performance.now(), cpuMs()]
  let stop = 0
  let last = cpuFrom
  const look = () => {
    const now = cpuMs()
    stop = Math.max(stop, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  await work()
  look()
  clearInterval(timer)
  return { stop, ms: performance.now() - from, cpu: last - cpuFrom }
}

async function compareCalls(...paths: string[]): Promise<void> {
  const rows = paths.map((path) => ({ path, starts: [] as number[], stops: [] as number[], costs: [] as number[] }))
  for (let round = 0; round < rounds; round++) {
    for (const { path, starts, stops, costs } of rows) {
      let assent: Assent | undefined
      const start = await watched(async () => {
        assent = await open(path)
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
      path.endsWith('empty.db') ? 'empty store' : 'long history',
      ...[starts, stops, costs].map((values) => median(values).toFixed(1)),
    ]),
  )
}

/** What the walk of an allowed call asks of the store: one look at the grants, and two events. */
async function run({ approvals, record }: Assent, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const { kind } = await approvals.approve({ call: callOf(`tool-${n}`), walkId: `walk-${n}` })
    if (kind !== 'approved') throw new Error(`Expected an approval, but got ${kind}.`)
    await record({ kind: 'custom:bench', who: alice })
    await record({ kind: 'custom:bench', who: alice })
  }
}

const callOf = (tool: string): ToolCall => ({
  requester,
  server: 'files',
  tool,
  arguments: { path: '/tmp/notes.txt' },
  definition: 'definition',
  trusted: false,
})

async function upkeep(path: string): Promise<void> {
  const assent = await open(path)
  const before = (await stat(path)).size
  const verify = await watched(() => assent.verifyAudit())
  let deleted = 0
  const tidy = await watched(async () => {
    deleted = (await assent.tidy()).deletedEvents
  })
  await assent.close()
  const after = (await stat(path)).size
  table(
    ['', 'seconds', 'longest stop, ms', 'µs CPU an event'],
    [
      [
        'audit verify',
        (verify.ms / 1_000).toFixed(1),
        verify.stop.toFixed(1),
        ((verify.cpu * 1_000) / events).toFixed(1),
      ],
      [
        `retention of 30 days: ${deleted.toLocaleString('en')} events deleted`,
        (tidy.ms / 1_000).toFixed(1),
        tidy.stop.toFixed(1),
        ((tidy.cpu * 1_000) / Math.max(1, deleted)).toFixed(1),
      ],
    ],
  )
  console.log(`The file had ${Math.round(before / 1e6)} MB before, and has ${Math.round(after / 1e6)} MB now.`)
}
