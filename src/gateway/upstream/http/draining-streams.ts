import type { Clock } from '../../../base/clock.ts'
import { CompactMap } from '../../../base/compact-map.ts'
import type { Exchange } from './exchange.ts'

const drainMs = 5_000

/** Streams that have brought their reply and should end by themselves, so that their connections can be reused. */
export class DrainingStreams {
  readonly #clock: Clock
  #recent = new CompactMap<number, Exchange>()
  #overdue = new CompactMap<number, Exchange>()
  #cancelTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Closes the stream unless it ends within about five to ten seconds. */
  add(exchange: Exchange): void {
    this.#recent.set(exchange.id, exchange)
    // One timer for all streams: a timer for each would cost more than the rest of the clean-up after a call.
    this.#cancelTimer ??= this.#clock.after(drainMs, () => this.#abortOverdue())
  }

  remove(exchange: Exchange): void {
    if (!this.#recent.delete(exchange.id)) this.#overdue.delete(exchange.id)
  }

  close(): void {
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    for (const exchange of [...this.#overdue.values(), ...this.#recent.values()]) exchange.abort()
    this.#overdue.clear()
    this.#recent.clear()
  }

  #abortOverdue(): void {
    this.#cancelTimer = undefined
    for (const exchange of this.#overdue.values()) exchange.abort()
    this.#overdue = this.#recent
    this.#recent = new CompactMap()
    if (this.#overdue.size > 0) this.#cancelTimer = this.#clock.after(drainMs, () => this.#abortOverdue())
  }
}
