import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakGateway } from './gateway.ts'
import type { Random } from './random.ts'
import { keptConnections, type Reply, replyIn, Silence } from './send.ts'
import { callNew, callOld, openSession } from './upstream-side.ts'

/** A call that was asked about: what its client needs to go on with it. */
export interface OpenCall {
  readonly id: string
  readonly reply: Reply
  /** Somebody may have said yes to it already. */
  readonly isTried: boolean
}

/** What the clients were told. */
export interface KillReport {
  readonly kills: { readonly gateway: number; readonly program: number; readonly inTheMiddle: number }
  readonly calls: number
  /** Calls whose client was told that they ran. */
  readonly ran: ReadonlySet<string>
  readonly open: ReadonlyMap<string, OpenCall>
  readonly ends: ReadonlyMap<string, number>
}

const careful = (id: string) => ({ name: 'careful', arguments: { id, ms: 20 } })

/** The client goes on with a call that was asked about; with a yes of its own, unless somebody said it elsewhere. */
export function goOn(agent: ReturnType<typeof keptConnections>, at: URL, { id, reply }: OpenCall, withYes: boolean) {
  const { requestState, inputRequests = {} } = reply.result ?? {}
  const yes = { action: 'accept', content: { choice: 'allow_once' } }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, yes]))
  return callNew(agent, at, { ...careful(id), requestState, ...(withYes && { inputResponses }) })
}

/** Kills the gateway or the program behind it, again and again, while calls are under way. Each client must hear of its end. */
export async function killAgain(
  gateway: SoakGateway,
  record: string,
  kills: number,
  random: Random,
): Promise<KillReport> {
  const at = new URL('/mcp/good', gateway.url)
  const open = new Map<string, OpenCall>()
  const ran = new Set<string>()
  const ends = new Map<string, number>()
  const counts = { gateway: 0, program: 0, inTheMiddle: 0 }
  let calls = 0
  let agent = keptConnections()
  let since = (await readFile(record, 'utf8')).length
  let session = await openSession(agent, at)

  /** Never rejects but for silence: a connection that broke is an end that its client sees. */
  async function heard(id: string, answering: ReturnType<typeof callNew>): Promise<void> {
    const end = await answering.then(
      (answer) => (answer.status === 404 ? 'no session' : judge(id, replyIn(answer))),
      (error) => {
        if (error instanceof Silence) throw error
        return 'connection lost'
      },
    )
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }

  function judge(id: string, reply: Reply | undefined): string {
    // The stream ended with the gateway, before the answer.
    if (reply === undefined) return 'connection lost'
    if (reply.result?.resultType === 'input_required') {
      open.set(id, { id, reply, isTried: open.get(id)?.isTried ?? false })
      return 'asked'
    }
    open.delete(id)
    if (reply.error !== undefined) return 'error'
    if (reply.result?.isError === true) return 'failed'
    ran.add(id)
    return 'ran'
  }

  function callOne(): Promise<void> {
    calls += 1
    const id = `call-${calls}`
    const run = { name: 'run', arguments: { id, ms: random.below(120) } }
    switch (random.below(4)) {
      case 0:
        return heard(id, callOld(agent, at, session, run))
      case 1:
        return heard(id, callNew(agent, at, careful(id)))
      default:
        return heard(id, callNew(agent, at, run))
    }
  }

  for (let kill = 0; kill < kills; kill++) {
    let underWay = 0
    const begin = (work: Promise<void>) => {
      underWay += 1
      return work.finally(() => {
        underWay -= 1
      })
    }
    const tried = [...open.values()].slice(0, random.below(4))
    for (const one of tried) open.set(one.id, { ...one, isTried: true })
    const work = [
      ...Array.from({ length: 4 + random.below(5) }, () => begin(callOne())),
      // The same yes from two copies of the client: it is good for one.
      ...tried.flatMap((one) => [1, 2].map(() => begin(heard(one.id, goOn(agent, at, one, true))))),
    ]
    const ending = Promise.all(work)
    ending.catch(() => {})
    await sleep(random.below(150))
    if (underWay > 0) counts.inTheMiddle += 1

    if (random.oneIn(2)) {
      counts.gateway += 1
      await gateway.kill()
      await ending
      agent.destroy()
      agent = keptConnections()
      since = (await readFile(record, 'utf8')).length
      await gateway.start()
      session = await openSession(agent, at)
    } else {
      counts.program += 1
      await killPrograms(record, since)
      await ending
      gateway.check()
    }
  }
  agent.destroy()
  return { kills: counts, calls, ran, open, ends }
}

/** The programs that this gateway started, as they wrote down themselves. */
async function killPrograms(record: string, since: number): Promise<void> {
  const lines = (await readFile(record, 'utf8')).slice(since).split('\n')
  for (const line of lines) {
    const pid = /^pid (\d+)$/.exec(line)?.[1]
    if (pid === undefined) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}
