import type { StopListener, StopSignal } from '../../upstream/upstream.ts'

/** A cheap abort signal for a few listeners. A real `AbortSignal` would cost more than the rest of the fast path's bookkeeping. */
export class Stop implements StopSignal {
  aborted = false
  #listeners: StopListener[] = []

  addEventListener(_: 'abort', listener: StopListener): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_: 'abort', listener: StopListener): void {
    this.#listeners = this.#listeners.filter((each) => each !== listener)
  }

  abort(): void {
    if (this.aborted) return
    this.aborted = true
    for (const listener of this.#listeners) {
      if (typeof listener === 'function') listener()
      else listener.handleEvent()
    }
  }
}
