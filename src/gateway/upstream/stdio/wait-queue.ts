import type { Clock } from '../../../base/clock.ts'
import type { StopSignal } from '../upstream.ts'

/** Requests that wait for a process to become available. */
export class WaitQueue {
  readonly #clock: Clock
  readonly #wakers = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#wakers.size
  }

  /** Resolves at the next `wake`, when the signal aborts, or after `ms` milliseconds. */
  wait(signal: StopSignal, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        cancelTimer()
        signal.removeEventListener('abort', wake)
        this.#wakers.delete(wake)
        resolve()
      }
      const cancelTimer = this.#clock.after(ms, wake)
      signal.addEventListener('abort', wake, { once: true })
      this.#wakers.add(wake)
    })
  }

  /** Resolves every wait, in the order in which they began. */
  wake(): void {
    for (const wake of [...this.#wakers]) wake()
  }
}
