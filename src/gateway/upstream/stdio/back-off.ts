import type { Clock } from '../../../base/clock.ts'

const firstMs = 1_000
const maxMs = 60_000

/** Exponential back-off for a program that failed: restarts wait one second at first and one minute at most. */
export class BackOff {
  readonly #clock: Clock
  #failures = 0
  #next = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Milliseconds until it may be started. */
  get remaining(): number {
    return this.#failures === 0 ? 0 : Math.max(0, this.#next - this.#clock.now().getTime())
  }

  failed(): void {
    this.#failures += 1
    this.#next = this.#clock.now().getTime() + Math.min(firstMs * 2 ** (this.#failures - 1), maxMs)
  }

  /** The program has answered a request, so its next failure counts as the first. */
  reset(): void {
    this.#failures = 0
  }
}
