import type { Clock } from '../../../base/clock.ts'
import type { Exchange } from './exchange.ts'

const patience = 5_000

/** Streams that brought their answer and should end by themselves, so that the connection can be used again. */
export class Lingering {
  readonly #clock: Clock
  #young = new Set<Exchange>()
  #old = new Set<Exchange>()
  #callOff: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Closes it if it has not ended in a while. */
  add(exchange: Exchange): void {
    this.#young.add(exchange)
    // One timer for all: a timer for each would cost more than the rest of a call's end.
    this.#callOff ??= this.#clock.after(patience, () => this.#look())
  }

  remove(exchange: Exchange): void {
    this.#young.delete(exchange)
    this.#old.delete(exchange)
  }

  close(): void {
    this.#callOff?.()
    this.#callOff = undefined
    for (const exchange of [...this.#old, ...this.#young]) exchange.abort()
    this.#old.clear()
    this.#young.clear()
  }

  #look(): void {
    this.#callOff = undefined
    for (const exchange of this.#old) exchange.abort()
    this.#old = this.#young
    this.#young = new Set()
    if (this.#old.size > 0) this.#callOff = this.#clock.after(patience, () => this.#look())
  }
}
