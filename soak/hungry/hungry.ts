import { openClient2025 } from '../client/client-2025.ts'
import { keepAliveAgent, replyIn } from '../client/send.ts'
import type { Memory, SoakGateway } from '../gateway.ts'
import { call2026 } from '../upstream-side.ts'
import type { HungrySide } from './hungry-side.ts'

/** What honest clients met beside hungry ones. */
export interface HungryReport {
  /** How many honest calls ran, and how long they took, in milliseconds. */
  readonly calls: number
  readonly p50: number
  readonly p99: number
  readonly longest: number
  /** The largest samples, in bytes. */
  readonly most: Memory
  /** How the requests of hungry clients ended. */
  readonly ends: ReadonlyMap<string, number>
}

const honestClients = 6

/**
 * Memory-hungry clients and upstreams for some rounds, beside honest clients of both eras. Throws if the gateway exits,
 * or if an honest call gets another answer than its result.
 */
export async function besideHungryOnes(
  gateway: SoakGateway,
  hungrySide: HungrySide,
  rounds: number,
): Promise<HungryReport> {
  const ends = new Map<string, number>()
  const times: number[] = []
  const most = { rss: 0, heapUsed: 0 }
  let isOver = false
  const honest = Array.from({ length: honestClients }, (_, n) => honestCalls(gateway, n, times, () => isOver))
  const sampling = sampleMemory(gateway, most, () => isOver)
  const hungry = async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [end, count] of await hungrySide.round(gateway.url, round)) {
        ends.set(end, (ends.get(end) ?? 0) + count)
      }
      gateway.check()
    }
  }
  try {
    await Promise.race([hungry(), failureOf([...honest, sampling])])
  } catch (error) {
    // If the gateway has exited, its own error says more than a lost connection.
    await new Promise((resolve) => setTimeout(resolve, 500))
    gateway.check()
    throw error
  } finally {
    isOver = true
  }
  await Promise.all([...honest, sampling])
  gateway.check()
  times.sort((one, other) => one - other)
  const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0
  return { calls: times.length, p50: at(0.5), p99: at(0.99), longest: at(1), most, ends }
}

/** Rejects with the first failure. */
function failureOf(working: readonly Promise<void>[]): Promise<never> {
  return new Promise((_, reject) => {
    for (const work of working) work.catch(reject)
  })
}

/** One call after the other by one client, at `/mcp` and at the address of one server. */
async function honestCalls(gateway: SoakGateway, n: number, times: number[], isOver: () => boolean): Promise<void> {
  const agent = keepAliveAgent()
  const headers = { Authorization: `Bearer honest-${n}` }
  const server = n % 3 === 0 ? 'fresh' : 'good'
  const isJoined = n % 2 === 0
  const at = isJoined ? gateway.url : new URL(`/mcp/${server}`, gateway.url)
  const name = isJoined ? `${server}__run` : 'run'
  try {
    const session = n < 2 ? await openClient2025(agent, at, headers) : undefined
    for (let call = 0; !isOver(); call += 1) {
      const params = { name, arguments: { id: `honest ${n} ${call}` } }
      const begun = performance.now()
      const answer = await (session?.call(params) ?? call2026(agent, at, params, headers))
      times.push(performance.now() - begun)
      const text = answer.status === 200 ? replyIn(answer)?.result?.content?.[0]?.text : undefined
      if (text !== `ran honest ${n} ${call}`) {
        throw new Error(`An honest call failed with ${answer.status}: ${answer.text.slice(0, 500)}`)
      }
      // Honest clients wait for people and models most of the time.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    agent.destroy()
  }
}

async function sampleMemory(
  gateway: SoakGateway,
  most: { rss: number; heapUsed: number },
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const { rss, heapUsed } = await gateway.memory()
    most.rss = Math.max(most.rss, rss)
    most.heapUsed = Math.max(most.heapUsed, heapUsed)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
