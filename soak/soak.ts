import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HostileServer, hostileServer } from './broken/hostile-server.ts'
import { keepAliveAgent, replyIn } from './client/send.ts'
import { sendMutated } from './client-side.ts'
import { type SoakGateway, startGateway, startSharedGateway } from './gateway.ts'
import { besideHungryOnes } from './hungry/hungry.ts'
import { startHungrySide } from './hungry/hungry-side.ts'
import { killRepeatedly } from './kills.ts'
import { watchMemory } from './memory.ts'
import { answerAll, checkRuns } from './nothing-lost.ts'
import { seeded } from './random.ts'
import { call2026, callHostile } from './upstream-side.ts'

export interface SoakOptions {
  readonly seed: number
  /** How many broken messages to send to each side of the gateway. */
  readonly messages: number
  readonly kills: number
  /** How many rounds of memory-hungry clients and upstreams. */
  readonly hungry: number
  print(line: string): void
}

/** The heap of a gateway beside hungry clients and upstreams, in megabytes. */
const heap = 512

const clients = 8
const sampleMs = 250

/** Sends broken messages to a gateway from both sides and kills it repeatedly. Throws at the first wrong reaction. */
export async function soak({ seed, messages, kills, hungry, print }: SoakOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-soak-'))
  const record = join(folder, 'record')
  await writeFile(record, '')
  const store = `sqlite:${join(folder, 'assent.db')}`
  const hostile = [await hostileServer(true, seeded(seed + 1)), await hostileServer(false, seeded(seed + 2))]
  let gateway: SoakGateway | undefined
  try {
    gateway = await startGateway({ store, record, seed, hostile: hostile.map(({ url }) => url) })
    await clientSide(gateway, { seed, messages, print })
    await upstreamSide(gateway, { seed, messages, print, hostile, record })
    await killPhase(gateway, { seed, kills, print, record, store })
    gateway.check()
    await gateway.kill()
    gateway = undefined
    if (hungry > 0) await soakHungry({ rounds: hungry, print })
  } finally {
    await gateway?.kill().catch(() => {})
    for (const server of hostile) server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Memory-hungry clients and upstreams beside honest ones, with a small heap: the gateway lives, honest calls run. */
export async function soakHungry({ rounds, print }: { rounds: number; print(line: string): void }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'assent-soak-'))
  const [store, record] = [`sqlite:${join(folder, 'assent.db')}`, join(folder, 'record')]
  await writeFile(record, '')
  const side = await startHungrySide()
  let gateway: SoakGateway | undefined
  try {
    gateway = await startSharedGateway({ store, record, hungry: side.upstream }, heap)
    const { calls, p50, p99, longest, most, ends } = await besideHungryOnes(gateway, side, rounds)
    const all = [...ends.values()].reduce((sum, count) => sum + count, 0)
    print(`hungry: ${all} requests, each ended (${summary(ends)})`)
    print(`memory: heap at most ${megabytes(most.heapUsed)} MB of ${heap}, RSS at most ${megabytes(most.rss)} MB`)
    const times = [p50, p99, longest].map((time) => `${time.toFixed(1)} ms`)
    print(`honest: ${calls} calls, all ran; p50 ${times[0]}, p99 ${times[1]}, longest ${times[2]}`)
  } finally {
    await gateway?.kill().catch(() => {})
    side.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576)

type Part = Pick<SoakOptions, 'seed' | 'print'>

async function clientSide(gateway: SoakGateway, part: Part & { messages: number }): Promise<void> {
  const { seed, messages, print } = part
  const each = Math.ceil(messages / clients)
  const work = Array.from({ length: clients }, (_, n) => sendMutated(gateway.url, each, seeded(seed + 100 + n)))
  const { result: ends, memory } = await withMemoryWatch(gateway, Promise.all(work))
  await checkPlainCall(gateway)
  print(`client side: ${each * clients} broken messages, all answered (${summary(sum(ends))})`)
  print(`memory: ${memory}`)
}

interface UpstreamPart extends Part {
  readonly messages: number
  readonly hostile: readonly HostileServer[]
  readonly record: string
}

async function upstreamSide(gateway: SoakGateway, part: UpstreamPart): Promise<void> {
  const { seed, messages, print, hostile, record } = part
  const servers = [...hostile.map((_, index) => `hostile-${index}`), 'rough']
  let written = 0
  const sent = () => written + hostile.reduce((all, server) => all + server.sent, 0)
  const counting = setInterval(async () => {
    written = brokenMessagesIn(await readFile(record, 'utf8').catch(() => ''))
  }, 200)
  try {
    const work = Array.from({ length: clients }, (_, n) =>
      callHostile(gateway.url, servers, seeded(seed + 200 + n), () => sent() >= messages),
    )
    const { result: ends, memory } = await withMemoryWatch(gateway, Promise.all(work))
    await checkPlainCall(gateway)
    print(`upstream side: ${sent()} broken messages, every call ended (${summary(sum(ends))})`)
    print(`memory: ${memory}`)
  } finally {
    clearInterval(counting)
  }
}

const brokenMessagesIn = (record: string) =>
  [...record.matchAll(/^broken (\d+)$/gm)].reduce((all, [, count]) => all + Number(count), 0)

interface KillPart extends Part {
  readonly kills: number
  readonly record: string
  readonly store: string
}

async function killPhase(gateway: SoakGateway, { seed, kills, print, record, store }: KillPart): Promise<void> {
  const report = await killRepeatedly(gateway, record, kills, seeded(seed + 300))
  const { gateway: ofGateway, program, duringCalls } = report.kills
  const ends = summary(report.ends)
  print(`kills: ${ofGateway} of the gateway, ${program} of the upstream program; ${duringCalls} during calls`)
  print(`calls meanwhile: ${report.calls}, each ended for its client (${ends})`)
  const found = await answerAll(store, report)
  const answered = `${found.inClient} answered in the client, ${found.inInbox} in the inbox, ${found.byForm} by form`
  const gone = `${found.spentBefore} whose yes was spent before a kill, ${found.parkedGone} parked calls lost`
  const pushed = `${found.stillOpen} of disconnected clients still open`
  print(`questions: ${report.open.size} were open, ${answered}, ${gone}; ${pushed}; none lost`)
  print(`runs: ${await checkRuns(record, report.ran)} calls ran, none of them twice`)
}

/** Waits for the work and samples the memory meanwhile. Throws if the gateway exits. */
async function withMemoryWatch<T>(gateway: SoakGateway, work: Promise<T>): Promise<{ result: T; memory: string }> {
  const memory = watchMemory(gateway)
  let hasEnded = false
  const ended = work.finally(() => {
    hasEnded = true
  })
  ended.catch(() => {})
  while (!hasEnded) {
    await memory.sample()
    await Promise.race([ended.catch(() => {}), sleep(sampleMs)])
  }
  try {
    return { result: await ended, memory: memory.check() }
  } catch (error) {
    // If the gateway has exited, its own error says more than a lost connection.
    await sleep(sampleMs)
    gateway.check()
    throw error
  }
}

/** Checks that an ordinary call is still answered. */
async function checkPlainCall(gateway: SoakGateway): Promise<void> {
  gateway.check()
  const agent = keepAliveAgent()
  try {
    const at = new URL('/mcp/good', gateway.url)
    const reply = replyIn(await call2026(agent, at, { name: 'run', arguments: { id: 'plain' } }))
    if (reply?.result?.content?.[0]?.text !== 'ran plain')
      throw new Error(`A plain call failed: ${JSON.stringify(reply)}`)
  } finally {
    agent.destroy()
  }
}

function sum(many: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const all = new Map<string, number>()
  for (const one of many) for (const [end, count] of one) all.set(end, (all.get(end) ?? 0) + count)
  return all
}

const summary = (ends: ReadonlyMap<string, number>) =>
  [...ends]
    .sort(([, a], [, b]) => b - a)
    .map(([end, count]) => `${end}: ${count}`)
    .join(', ')
