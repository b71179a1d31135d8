/** Counts what one participant sends: so many at once, and so many a second in the long run. */
export interface Rate {
  /** `told`: refused, and its sender is to be told so. `silent`: refused, and told within this second already. */
  take(nowMs: number): 'ok' | 'told' | 'silent'
  /** How many were refused in a row. */
  readonly refused: number
}

export function createRate(perSecond: number, burst: number): Rate {
  let left = burst
  let at = 0
  let toldAt = Number.NEGATIVE_INFINITY
  let refused = 0
  return {
    get refused() {
      return refused
    },
    take(nowMs) {
      left = Math.min(burst, left + ((nowMs - at) / 1_000) * perSecond)
      at = nowMs
      if (left >= 1) {
        left -= 1
        refused = 0
        return 'ok'
      }
      refused += 1
      if (nowMs - toldAt < 1_000) return 'silent'
      toldAt = nowMs
      return 'told'
    },
  }
}
