import type { StopListener, StopSignal } from '../../upstream/upstream.ts'

/** A signal for one listener or two: a call that nobody takes back should not pay for more. */
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
