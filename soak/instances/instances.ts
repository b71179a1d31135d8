import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, startPostgres } from '../../scripts/private-postgres.js'
import { findRedis, startRedis } from '../../scripts/private-redis.js'
import type { PrivateServer } from '../../scripts/start-kept.js'
import { createAssent } from '../../src/index.ts'
import { formatKey, makeKey } from '../../src/vault/keys.ts'
import { type SoakGateway, startInstance } from '../gateway.ts'
import { type Random, seeded } from '../random.ts'
import { startBalancer } from './balancer.ts'
import { openInbox } from './inbox.ts'
import { createCaller, planned } from './stories.ts'
import { startUpstream } from './upstream.ts'

export interface SoakInstancesOptions {
  readonly store: 'postgres' | 'redis'
  readonly seed: number
  /** How often an instance is killed. */
  readonly kills: number
  readonly everyMs: number
  /** The server of the store is killed too, and started again, with each restartAfter-th kill. */
  readonly restartAfter: number
  readonly callers: number
  print(line: string): void
}

const minute = 60_000
/** How far the clock of each instance is from the true time. */
const skews = [-2 * minute, 0, 2 * minute] as const

/** Mixed load on three instances on one store, while instances and the store are killed. Throws where anything is wrong. */
export async function soakInstances(options: SoakInstancesOptions): Promise<void> {
  const { store: kind, print } = options
  const folder = await mkdtemp(join(tmpdir(), 'assent-soak-instances-'))
  const record = join(folder, 'record')
  await writeFile(record, '')
  const store = await startStore(kind)
  const upstreams = { old: await startUpstream('2025'), new: await startUpstream('2026') }
  const keys = formatKey(makeKey())
  const servers = { old: upstreams.old.url, new: upstreams.new.url }
  const start = (skew: number) => startInstance({ store: store.url, keys, record, servers }, skew)
  const instances: SoakGateway[] = []
  const assent = await createAssent({ store: store.url, keys, clocks: { tidy: 0 } })
  const inbox = openInbox(assent)
  try {
    // One after the other: the first makes the tables.
    for (const skew of skews) instances.push(await start(skew))
    const balancer = await startBalancer(instances.map(({ url }) => url))
    try {
      let recorded = new Map<string, number>()
      const reading = setInterval(async () => {
        recorded = runsIn(await readFile(record, 'utf8').catch(() => ''))
      }, 100)
      const hasRun = (id: string) => recorded.has(id) || Object.values(upstreams).some(({ runs }) => runs.has(id))
      const allowed = new Set<string>()
      const stage = { gateway: balancer.url, inbox, allowed, hasRun }
      const load = startLoad(options, stage)
      const survived = await breakThings(instances, store, options, load.check)
      const { calls, ends, needed } = await load.stop()
      clearInterval(reading)
      for (const instance of instances) instance.check()
      print(`${kind}: survived ${survived.kills} kills of an instance and ${survived.restarts} of the store's server`)
      print(`calls: ${calls} of clients of both eras, each came to its end (${summary(ends)})`)
      print(`sent to each instance: ${balancer.sent.join(', ')}`)
      const runs = allRuns([runsIn(await readFile(record, 'utf8')), upstreams.old.runs, upstreams.new.runs])
      checkRuns(runs, needed, allowed)
      print(`runs: ${runs.size} calls ran, none twice, none without a yes`)
      const { events, found, findings } = await assent.verifyAudit()
      if (found > 0) throw new Error(`The audit does not verify: ${JSON.stringify(findings.slice(0, 5))}`)
      print(`audit: ${events} events, nothing found wrong`)
    } finally {
      balancer.close()
    }
  } finally {
    await inbox.close()
    await assent.close().catch(() => {})
    for (const instance of instances) await instance.kill().catch(() => {})
    for (const upstream of Object.values(upstreams)) upstream.close()
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

function startStore(kind: SoakInstancesOptions['store']): Promise<PrivateServer> {
  const program = kind === 'postgres' ? findPostgres() : findRedis()
  if (program === undefined) throw new Error(`This soak needs ${kind} on this machine.`)
  return kind === 'postgres' ? startPostgres(program) : startRedis(program)
}

function startLoad({ seed, callers }: SoakInstancesOptions, stage: Parameters<typeof createCaller>[0]) {
  const ends = new Map<string, number>()
  /** Calls that need a yes. */
  const needed = new Set<string>()
  let calls = 0
  let isOver = false
  let failure: unknown

  async function callRepeatedly(random: Random): Promise<void> {
    const caller = createCaller(stage)
    try {
      while (!isOver) {
        calls += 1
        const plan = planned(`call-${calls}`, random)
        if (plan.tool === 'careful') needed.add(plan.id)
        const end = await caller.play(plan)
        ends.set(end, (ends.get(end) ?? 0) + 1)
      }
    } finally {
      caller.close()
    }
  }

  const work = Array.from({ length: callers }, (_, n) =>
    callRepeatedly(seeded(seed + n)).catch((error) => {
      failure ??= error
      isOver = true
    }),
  )
  const check = () => {
    if (failure !== undefined) throw failure
  }
  return {
    check,
    async stop() {
      isOver = true
      await Promise.all(work)
      check()
      return { calls, ends, needed }
    },
  }
}

async function breakThings(
  instances: readonly SoakGateway[],
  store: PrivateServer,
  { seed, kills, everyMs, restartAfter }: SoakInstancesOptions,
  check: () => void,
): Promise<{ kills: number; restarts: number }> {
  const random = seeded(seed + 1_000)
  let restarts = 0
  for (let kill = 1; kill <= kills; kill++) {
    await sleep(everyMs)
    check()
    const instance = random.pick(instances)
    await instance.kill()
    if (kill % restartAfter === 0) {
      restarts += 1
      await store.restart(random.below(2_000))
    }
    await startAgain(instance)
    for (const one of instances) one.check()
  }
  await sleep(everyMs)
  return { kills, restarts }
}

/** An instance does not start while its store is down, and whoever runs it starts it again. */
async function startAgain(instance: SoakGateway): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await instance.start()
    } catch (error) {
      if (tries === 5) throw error
      await sleep(500)
    }
  }
}

function runsIn(record: string): Map<string, number> {
  const runs = new Map<string, number>()
  for (const [, id = ''] of record.matchAll(/^run (call-\d+)$/gm)) runs.set(id, (runs.get(id) ?? 0) + 1)
  return runs
}

function allRuns(many: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const runs = new Map<string, number>()
  for (const one of many) for (const [id, count] of one) runs.set(id, (runs.get(id) ?? 0) + count)
  return runs
}

function checkRuns(runs: ReadonlyMap<string, number>, needed: ReadonlySet<string>, allowed: ReadonlySet<string>): void {
  for (const [id, times] of runs) {
    if (times > 1) throw new Error(`${id} ran ${times} times`)
    if (needed.has(id) && !allowed.has(id)) throw new Error(`${id} ran, and nobody had said yes`)
  }
}

const summary = (ends: ReadonlyMap<string, number>) =>
  [...ends]
    .sort(([, a], [, b]) => b - a)
    .map(([end, count]) => `${end}: ${count}`)
    .join(', ')
