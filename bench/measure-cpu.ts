import { median, table } from './measure.ts'
import type { Server } from './processes.ts'

/** One kind of work, and what each contender needed for it in each round, in µs of CPU. */
export interface Row<Work> {
  readonly name: string
  readonly work: Work
  readonly costs: readonly number[][]
}

interface Spending<Work, Said> {
  readonly rounds: number
  readonly servers: readonly Server<Said>[]
  /** Has the work done by the server that said this; gives how often. */
  make(work: Work, said: Said): Promise<number>
}

/** Fills the rows, the contenders side by side in every round. The first round warms up. */
export async function spend<Work, Said>(rows: readonly Row<Work>[], spending: Spending<Work, Said>): Promise<void> {
  const { rounds, servers, make } = spending
  for (let round = 0; round <= rounds; round++) {
    for (const { work, costs } of rows) {
      const order = servers.map((_, index) => index)
      // Who goes first takes turns: the machine is not the same at the end of a round as at its beginning.
      for (const index of round % 2 === 0 ? order : order.reverse()) {
        const { said, used } = servers[index] as Server<Said>
        const before = await used()
        const made = await make(work, said)
        if (round > 0) costs[index]?.push(((await used()) - before) / made)
      }
    }
  }
}

/** Prints what each contender needs, and how often what the first one does. */
export function costTable(rows: readonly Row<{ readonly revision: string }>[], names: readonly string[]): void {
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
        const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
        return [Math.round(median(costs)), (median(costs) / median(base)).toFixed(2), range]
      }),
    ]),
  )
}
