/** Chance that can be had again: the same seed, the same choices. */
export interface Random {
  /** From 0 up to, but not, `below`. */
  below(below: number): number
  /** True once in so many times. */
  oneIn(many: number): boolean
  pick<T>(from: readonly T[]): T
}

/** A small generator (mulberry32), good enough to make trouble with. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  return { below, oneIn: (many) => below(many) === 0, pick: (from) => from[below(from.length)] as never }
}
