import type { Memory, SoakGateway } from './gateway.ts'

/** Looks at the memory of a gateway from time to time while it does one kind of work. */
export interface MemoryWatch {
  look(): Promise<void>
  /** Throws when it grew on and on. */
  judge(): string
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576)
const heapRoom = 16 * 1_048_576
const rssRoom = 96 * 1_048_576

/** What is reached while everything is first used is not growth: the first third is left out. */
export function watchMemory(gateway: SoakGateway): MemoryWatch {
  const seen: Memory[] = []
  return {
    async look() {
      seen.push(await gateway.memory())
    },
    judge() {
      const third = Math.floor(seen.length / 3)
      const early = typical(seen.slice(third, third * 2 + 1))
      const late = typical(seen.slice(-Math.max(1, third)))
      const words = `heap ${megabytes(early.heapUsed)} MB, at the end ${megabytes(late.heapUsed)} MB; RSS ${megabytes(early.rss)} MB, at the end ${megabytes(late.rss)} MB`
      if (late.heapUsed > early.heapUsed + heapRoom || late.rss > early.rss + rssRoom) {
        throw new Error(`The gateway grows: ${words}`)
      }
      return words
    },
  }
}

function typical(some: readonly Memory[]): Memory {
  const middle = (key: keyof Memory) => some.map((memory) => memory[key]).sort((a, b) => a - b)[some.length >> 1] ?? 0
  return { rss: middle('rss'), heapUsed: middle('heapUsed') }
}
