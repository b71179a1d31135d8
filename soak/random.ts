/** Reproducible random choices: the same seed gives the same choices. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number
  /** True with a probability of one in `many`. */
  oneIn(many: number): boolean
  pick<T>(from: readonly T[]): T
}

/** A small generator (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number) => Math.floor(next() * max)
  return { below, oneIn: (many) => below(many) === 0, pick: (from) => from[below(from.length)] as never }
}
