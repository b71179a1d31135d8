/** A process that holds a slot. */
export interface SlotHolder {
  /** When the process was last used; undefined while it is in use or ending. */
  idleSince(): number | undefined
  /** Ends the process. Its slot is released when it has exited. */
  evict(): void
}

/** Limits the number of processes of all upstreams together. */
export class ProcessSlots {
  readonly #max: number
  readonly #holders = new Set<SlotHolder>()
  readonly #listeners = new Set<() => void>()

  constructor(max = 64) {
    this.#max = max
  }

  get taken(): number {
    return this.#holders.size
  }

  /** False if no slot is free; then the process that has been idle for longest is ended to make room. */
  acquire(holder: SlotHolder): boolean {
    if (this.#holders.size >= this.#max) {
      longestIdle(this.#holders)?.evict()
      return false
    }
    this.#holders.add(holder)
    return true
  }

  release(holder: SlotHolder): void {
    if (!this.#holders.delete(holder)) return
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls the listener whenever a slot is released. Returns a function that stops it. */
  onRelease(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The process that has been idle for longest. */
export function longestIdle<Holder extends SlotHolder>(holders: Iterable<Holder>): Holder | undefined {
  let found: Holder | undefined
  let since = Number.POSITIVE_INFINITY
  for (const holder of holders) {
    const idle = holder.idleSince() ?? Number.POSITIVE_INFINITY
    if (idle >= since) continue
    found = holder
    since = idle
  }
  return found
}
