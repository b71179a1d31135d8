import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendMutated } from './client-side.ts'
import { type SoakGateway, startGateway } from './gateway.ts'
import { type HostileServer, hostileServer } from './hostile-server.ts'
import { killAgain } from './kills.ts'
import { watchMemory } from './memory.ts'
import { answerAll, checkRuns } from './nothing-lost.ts'
import { seeded } from './random.ts'
import { keptConnections, replyIn } from './send.ts'
import { callHostile, callNew } from './upstream-side.ts'

export interface SoakWishes {
  readonly seed: number
  /** Broken messages at each side of the gateway. */
  readonly messages: number
  readonly kills: number
  print(line: string): void
}

const clients = 8
const lookEveryMs = 250

/** Puts a gateway through what nobody should do to it. Throws at the first thing that must not happen. */
export async function soak({ seed, messages, kills, print }: SoakWishes): Promise<void> {
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
    await killing(gateway, { seed, kills, print, record, store })
    gateway.check()
  } finally {
    await gateway?.kill().catch(() => {})
    for (const server of hostile) server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

type Part = Pick<SoakWishes, 'seed' | 'print'>

async function clientSide(gateway: SoakGateway, part: Part & { messages: number }): Promise<void> {
  const { seed, messages, print } = part
  const each = Math.ceil(messages / clients)
  const work = Array.from({ length: clients }, (_, n) => sendMutated(gateway.url, each, seeded(seed + 100 + n)))
  const { result: ends, memory } = await watched(gateway, Promise.all(work))
  await stillWorks(gateway)
  print(`client side: ${each * clients} broken messages, all answered (${words(sum(ends))})`)
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
    written = rubbishIn(await readFile(record, 'utf8').catch(() => ''))
  }, 200)
  try {
    const work = Array.from({ length: clients }, (_, n) =>
      callHostile(gateway.url, servers, seeded(seed + 200 + n), () => sent() >= messages),
    )
    const { result: ends, memory } = await watched(gateway, Promise.all(work))
    await stillWorks(gateway)
    print(`upstream side: ${sent()} broken messages, every call ended (${words(sum(ends))})`)
    print(`memory: ${memory}`)
  } finally {
    clearInterval(counting)
  }
}

const rubbishIn = (record: string) =>
  [...record.matchAll(/^rubbish (\d+)$/gm)].reduce((all, [, count]) => all + Number(count), 0)

interface KillPart extends Part {
  readonly kills: number
  readonly record: string
  readonly store: string
}

async function killing(gateway: SoakGateway, { seed, kills, print, record, store }: KillPart): Promise<void> {
  const report = await killAgain(gateway, record, kills, seeded(seed + 300))
  const { gateway: ofGateway, program, inTheMiddle } = report.kills
  const ends = words(report.ends)
  print(
    `kills: ${ofGateway} of the gateway, ${program} of the program behind it; ${inTheMiddle} in the middle of calls`,
  )
  print(`calls meanwhile: ${report.calls}, every client heard of the end (${ends})`)
  const found = await answerAll(store, report)
  const answered = `${found.inClient} answered in the client, ${found.inInbox} in the inbox, ${found.byForm} by form`
  const gone = `${found.spentBefore} whose yes was spent before a kill, ${found.parkedGone} parked and gone`
  const pushed = `${found.stillOpen} of clients that are gone still open`
  print(`questions: ${report.open.size} were open, ${answered}, ${gone}; ${pushed}; none lost`)
  print(`runs: ${await checkRuns(record, report.ran)} calls ran, none of them twice`)
}

/** Waits for the work, and looks at the memory meanwhile. A gateway that ends by itself ends the wait. */
async function watched<T>(gateway: SoakGateway, work: Promise<T>): Promise<{ result: T; memory: string }> {
  const memory = watchMemory(gateway)
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  over.catch(() => {})
  while (!isOver) {
    await memory.look()
    await Promise.race([over.catch(() => {}), sleep(lookEveryMs)])
  }
  try {
    return { result: await over, memory: memory.judge() }
  } catch (error) {
    // Whoever lost a connection knows less than the gateway that ended.
    await sleep(lookEveryMs)
    gateway.check()
    throw error
  }
}

/** Whatever strangers did, a plain call of somebody else is answered. */
async function stillWorks(gateway: SoakGateway): Promise<void> {
  gateway.check()
  const agent = keptConnections()
  try {
    const at = new URL('/mcp/good', gateway.url)
    const reply = replyIn(await callNew(agent, at, { name: 'run', arguments: { id: 'plain' } }))
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

const words = (ends: ReadonlyMap<string, number>) =>
  [...ends]
    .sort(([, a], [, b]) => b - a)
    .map(([end, count]) => `${end}: ${count}`)
    .join(', ')
