import type { ChainId } from './event.ts'

/**
 * What can be wrong with an event. `changed`: it was changed, or forged. `moved`: it was written in another place.
 * `missing`: there is no event. `missing-chain`: the whole chain is gone. `cut`: the chain was cut off here.
 * `erased`: its `kept` is gone, although nobody was forgotten. `restored`: it was pruned, and is there again.
 */
export type AuditProblem = 'changed' | 'moved' | 'missing' | 'missing-chain' | 'cut' | 'erased' | 'restored'

/** One fault, and its place in the audit. */
export interface Finding {
  readonly chain: ChainId
  readonly seq: number
  readonly problem: AuditProblem
  /** For a person to read. */
  readonly message: string
}

/** Collects faults. All are counted, but only the first are listed, since every event may be wrong. */
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
