import type { Clock } from '../../../base/clock.ts'
import { CompactMap } from '../../../base/compact-map.ts'

const drainMs = 5_000

/** A stream that is still open. */
interface OpenStream {
  readonly id: number
  abort(): void
}

/** Streams that have brought their reply and should end by themselves, so that their connections can be reused. */
export class DrainingStreams {
  readonly #clock: Clock
  #recent = new CompactMap<number, OpenStream>()
  #overdue = new CompactMap<number, OpenStream>()
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Closes the stream unless it ends within about five to ten seconds. */
  add(stream: OpenStream): void {
    this.#recent.set(stream.id, stream)
    // One timer for all streams: a timer for each would cost more than the rest of the clean-up after a call.
    this.#cancelTimer ??= this.#clock.after(drainMs, () => this.#abortOverdue())
  }

  remove(stream: OpenStream): void {
    if (!this.#recent.delete(stream.id)) this.#overdue.delete(stream.id)
  }

  close(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    for (const stream of [...this.#overdue.values(), ...this.#recent.values()]) stream.abort()
    this.#overdue.clear()
    this.#recent.clear()
  }

  #abortOverdue(): void {
    this.#cancelTimer = undefined
    for (const stream of this.#overdue.values()) stream.abort()
    this.#overdue = this.#recent
    this.#recent = new CompactMap()
    if (this.#overdue.size > 0) this.#cancelTimer = this.#clock.after(drainMs, () => this.#abortOverdue())
  }
}
