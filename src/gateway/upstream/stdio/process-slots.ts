/** A process that takes a place. */
export interface Occupant {
  /** Since when nobody uses it; undefined while somebody does, or while it ends already. */
  idleSince(): number | undefined
  /** Ends it; its place is free when it has ended. */
  evict(): void
}

/** How many processes there may be, of all upstreams together. */
export class ProcessSlots {
  readonly #max: number
  readonly #occupants = new Set<Occupant>()
  readonly #listeners = new Set<() => void>()

  constructor(max = 64) {
    this.#max = max
  }

  get taken(): number {
    return this.#occupants.size
  }

  /** False: none is free now; if one of them is idle, it is ended to make room. */
  take(occupant: Occupant): boolean {
    if (this.#occupants.size >= this.#max) {
      longestIdle(this.#occupants)?.evict()
      return false
    }
    this.#occupants.add(occupant)
    return true
  }

  free(occupant: Occupant): void {
    if (!this.#occupants.delete(occupant)) return
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls whenever a place becomes free. Returns how to stop. */
  onFree(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The one that nobody used for longest. */
export function longestIdle<Some extends Occupant>(occupants: Iterable<Some>): Some | undefined {
  let found: Some | undefined
  let since = Number.POSITIVE_INFINITY
  for (const occupant of occupants) {
    const idle = occupant.idleSince() ?? Number.POSITIVE_INFINITY
    if (idle >= since) continue
    found = occupant
    since = idle
  }
  return found
}
