import type { Clock } from '../../../base/clock.ts'
import type { StopSignal } from '../upstream.ts'

/** Requests that wait for a process. */
export class WaitQueue {
  readonly #clock: Clock
  readonly #wakers = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#wakers.size
  }

  /** Until something changed, the signal, or so many milliseconds. */
  wait(signal: StopSignal, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        callOff()
        signal.removeEventListener('abort', wake)
        this.#wakers.delete(wake)
        resolve()
      }
      const callOff = this.#clock.after(ms, wake)
      signal.addEventListener('abort', wake, { once: true })
      this.#wakers.add(wake)
    })
  }

  /** Lets all look again, whoever waited longest first. */
  wake(): void {
    for (const wake of [...this.#wakers]) wake()
  }
}
