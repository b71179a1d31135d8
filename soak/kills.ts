import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakGateway } from './gateway.ts'
import type { Random } from './random.ts'
import { createTraffic, type TrafficReport } from './traffic.ts'

export interface KillReport extends TrafficReport {
  readonly kills: { readonly gateway: number; readonly program: number; readonly duringCalls: number }
}

/** Kills the gateway or its upstream programs repeatedly during calls. Each call must end for its client. */
export async function killRepeatedly(
  gateway: SoakGateway,
  record: string,
  kills: number,
  random: Random,
): Promise<KillReport> {
  const counts = { gateway: 0, program: 0, duringCalls: 0 }
  const traffic = createTraffic(gateway.url, random)
  let since = (await readFile(record, 'utf8')).length
  await traffic.connect()

  for (let kill = 0; kill < kills; kill++) {
    let inFlight = 0
    const begin = (work: Promise<void>) => {
      inFlight += 1
      return work.finally(() => {
        inFlight -= 1
      })
    }
    const fresh = Array.from({ length: 4 + random.below(5) }, () => traffic.callOne())
    const ending = Promise.all([...fresh, ...traffic.continueSome()].map(begin))
    ending.catch(() => {})
    // Sometimes before the programs have started, sometimes while a question is open.
    await sleep(random.below(random.oneIn(2) ? 150 : 800))
    if (inFlight > 0) counts.duringCalls += 1

    if (random.oneIn(2)) {
      counts.gateway += 1
      traffic.expectKill()
      await gateway.kill()
      await ending
      since = (await readFile(record, 'utf8')).length
      await gateway.start()
      await traffic.connect()
    } else {
      counts.program += 1
      await killPrograms(record, since)
      await ending
      gateway.check()
    }
  }
  traffic.close()
  return { ...traffic, calls: traffic.calls, kills: counts }
}

/** Kills the programs that this gateway started, by the process ids that they recorded. */
async function killPrograms(record: string, since: number): Promise<void> {
  const lines = (await readFile(record, 'utf8')).slice(since).split('\n')
  for (const line of lines) {
    const pid = /^pid (\d+)$/.exec(line)?.[1]
    if (pid === undefined) continue
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {
      // The process has exited already.
    }
  }
}
