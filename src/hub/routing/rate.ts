/** Counts what one participant sends: so many at once, and so many a second in the long run. */
export interface Rate {
  /** `told`: refused, and its sender is to be told so. `silent`: refused, and told within this second already. */
  take(nowMs: number): 'ok' | 'told' | 'silent'
  /** How many were refused since its sender last kept to the limit for a while. */
  readonly refused: number
}

/** How long somebody keeps to the limit until earlier refusals are forgotten. */
const forgivenAfterMs = 10_000

export function createRate(perSecond: number, burst: number): Rate {
  let left = burst
  let at = 0
  let toldAt = Number.NEGATIVE_INFINITY
  let refusedAt = Number.NEGATIVE_INFINITY
  let refused = 0
  return {
    get refused() {
      return refused
    },
    take(nowMs) {
      left = Math.min(burst, left + ((nowMs - at) / 1_000) * perSecond)
      at = nowMs
      if (nowMs - refusedAt >= forgivenAfterMs) refused = 0
      if (left >= 1) {
        left -= 1
        return 'ok'
      }
      refusedAt = nowMs
      refused += 1
      if (nowMs - toldAt < 1_000) return 'silent'
      toldAt = nowMs
      return 'told'
    },
  }
}
