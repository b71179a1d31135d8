import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SoakGateway } from './gateway.ts'
import type { Random } from './random.ts'
import { createTraffic, type TrafficReport } from './traffic.ts'

export interface KillReport extends TrafficReport {
  readonly kills: { readonly gateway: number; readonly program: number; readonly inTheMiddle: number }
}

/** Kills the gateway or the programs behind it, again and again, while calls are under way. Each client must hear of its end. */
export async function killAgain(
  gateway: SoakGateway,
  record: string,
  kills: number,
  random: Random,
): Promise<KillReport> {
  const counts = { gateway: 0, program: 0, inTheMiddle: 0 }
  const traffic = createTraffic(gateway.url, random)
  let since = (await readFile(record, 'utf8')).length
  await traffic.connect()

  for (let kill = 0; kill < kills; kill++) {
    let underWay = 0
    const begin = (work: Promise<void>) => {
      underWay += 1
      return work.finally(() => {
        underWay -= 1
      })
    }
    const fresh = Array.from({ length: 4 + random.below(5) }, () => traffic.callOne())
    const ending = Promise.all([...fresh, ...traffic.goOnWithSome()].map(begin))
    ending.catch(() => {})
    // Sometimes before the programs are there, sometimes while people think.
    await sleep(random.below(random.oneIn(2) ? 150 : 800))
    if (underWay > 0) counts.inTheMiddle += 1

    if (random.oneIn(2)) {
      counts.gateway += 1
      traffic.gatewayIsKilled()
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
