import type { ChainId } from './event.ts'

/**
 * What can be wrong at a place. `changed`: not what was written there, or never written. `moved`: written elsewhere.
 * `missing`: nothing is there. `missing-chain`: nothing is left of the chain. `cut`: the chain went on from here.
 * `erased`: what was kept is gone, and nobody was forgotten. `restored`: it was pruned, and is here again.
 */
export type AuditProblem = 'changed' | 'moved' | 'missing' | 'missing-chain' | 'cut' | 'erased' | 'restored'

/** One thing that is wrong, and where it happened. */
export interface Finding {
  readonly chain: ChainId
  readonly seq: number
  readonly problem: AuditProblem
  /** For a person to read. */
  readonly message: string
}

/** Collects what is wrong. Everything is counted, but not everything is listed: all events may be wrong. */
export interface Findings {
  add(chain: ChainId, seq: number, problem: AuditProblem, message: string): void
  readonly listed: readonly Finding[]
  readonly count: number
}

const mostListed = 1_000

/** An empty collection. */
export function createFindings(): Findings {
  const listed: Finding[] = []
  let count = 0
  return {
    add(chain, seq, problem, message) {
      count += 1
      if (listed.length < mostListed) listed.push({ chain, seq, problem, message })
    },
    listed,
    get count() {
      return count
    },
  }
}
