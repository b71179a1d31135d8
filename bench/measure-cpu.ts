import { median, range, table } from './measure.ts'
import type { Server } from './processes.ts'

/** One kind of work, and the CPU time of each contender in each round, in µs. */
export interface Row<Work> {
  readonly name: string
  readonly work: Work
  readonly costs: readonly number[][]
}

interface Spending<Work, Details> {
  readonly rounds: number
  readonly servers: readonly Server<Details>[]
  /** Measured from the first call on, without a round to warm up. */
  readonly isCold?: boolean
  /** Lets the server with these details do the work; returns how often. */
  make(work: Work, details: Details): Promise<number>
}

/** Measures all contenders in every round. One more round comes first, to warm up. */
export async function measureRounds<Work, Details>(
  rows: readonly Row<Work>[],
  spending: Spending<Work, Details>,
): Promise<void> {
  const { rounds, servers, isCold = false, make } = spending
  for (let round = isCold ? 1 : 0; round <= rounds; round++) {
    for (const { work, costs } of rows) {
      const order = servers.map((_, index) => index)
      // The order alternates, because the machine may be slower at the end of a round than at its beginning.
      for (const index of round % 2 === 0 ? order : order.reverse()) {
        const { details, used } = servers[index] as Server<Details>
        const before = await used()
        const made = await make(work, details)
        if (round > 0) costs[index]?.push(((await used()) - before) / made)
      }
    }
  }
}

/** Prints the CPU time of each contender, and its ratio to that of the first one. */
export function costTable(rows: readonly Row<{ readonly revision: string }>[], names: readonly string[]): void {
  if (rows.length === 0) return
  const [first = '', ...others] = names
  const head = ['', 'revision', first, ...others.flatMap((name) => [name, 'ratio', 'of the rounds'])]
  table(
    head,
    rows.map(({ name, work: { revision }, costs: [base = [], ...compared] }) => [
      name,
      revision,
      Math.round(median(base)),
      ...compared.flatMap((costs) => {
        const ratios = costs.map((cost, round) => cost / (base[round] ?? Number.NaN))
        return [Math.round(median(costs)), (median(costs) / median(base)).toFixed(2), range(ratios)]
      }),
    ]),
  )
}
