import type { Clock } from '../../../base/clock.ts'
import { CompactMap } from '../../../base/compact-map.ts'
import type { Exchange } from './exchange.ts'

const patience = 5_000

/** Streams that brought their answer and should end by themselves, so that the connection can be used again. */
export class Lingering {
  readonly #clock: Clock
  #young = new CompactMap<number, Exchange>()
  #old = new CompactMap<number, Exchange>()
  #callOff: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Closes it if it has not ended in a while. */
  add(exchange: Exchange): void {
    this.#young.set(exchange.id, exchange)
    // One timer for all: a timer for each would cost more than the rest of a call's end.
    this.#callOff ??= this.#clock.after(patience, () => this.#look())
  }

  remove(exchange: Exchange): void {
    if (!this.#young.delete(exchange.id)) this.#old.delete(exchange.id)
  }

  close(): void {
    this.#callOff?.()
    this.#callOff = undefined
    for (const exchange of [...this.#old.values(), ...this.#young.values()]) exchange.abort()
    this.#old.clear()
    this.#young.clear()
  }

  #look(): void {
    this.#callOff = undefined
    for (const exchange of this.#old.values()) exchange.abort()
    this.#old = this.#young
    this.#young = new CompactMap()
    if (this.#old.size > 0) this.#callOff = this.#clock.after(patience, () => this.#look())
  }
}
