import type { Memory, SoakGateway } from './gateway.ts'

/** Samples the memory of a gateway while it does one kind of work. */
export interface MemoryWatch {
  sample(): Promise<void>
  /** Throws if memory kept growing; returns a summary otherwise. */
  check(): string
}

const megabytes = (bytes: number) => Math.round(bytes / 1_048_576)
const heapAllowance = 16 * 1_048_576
const rssAllowance = 96 * 1_048_576

/** Compares the middle third of the samples with the last one. The first third is left out as warm-up. */
export function watchMemory(gateway: SoakGateway): MemoryWatch {
  const samples: Memory[] = []
  return {
    async sample() {
      samples.push(await gateway.memory())
    },
    check() {
      const third = Math.floor(samples.length / 3)
      const early = medianOf(samples.slice(third, third * 2 + 1))
      const late = medianOf(samples.slice(-Math.max(1, third)))
      const words = `heap ${megabytes(early.heapUsed)} MB, at the end ${megabytes(late.heapUsed)} MB; RSS ${megabytes(early.rss)} MB, at the end ${megabytes(late.rss)} MB`
      if (late.heapUsed > early.heapUsed + heapAllowance || late.rss > early.rss + rssAllowance) {
        throw new Error(`The memory of the gateway grows: ${words}`)
      }
      return words
    },
  }
}

function medianOf(some: readonly Memory[]): Memory {
  const middle = (key: 'rss' | 'heapUsed') =>
    some.map((memory) => memory[key]).sort((a, b) => a - b)[some.length >> 1] ?? 0
  return { rss: middle('rss'), heapUsed: middle('heapUsed') }
}
