import type { Clock } from '../../../base/clock.ts'

const first = 1_000
const longest = 60_000

/** When a program that failed may be started again: after a second, and twice as long each time, up to a minute. */
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
    this.#next = this.#clock.now().getTime() + Math.min(first * 2 ** (this.#failures - 1), longest)
  }

  /** It did some work: whatever happens next is a new story. */
  worked(): void {
    this.#failures = 0
  }
}
