import { inBackground } from '../../base/under-way.ts'
import type { ShownWait } from './shown-wait.ts'

/** Shares one terminal: one question at a time, and the latest wait is shown while no question is. */
export class TerminalQueue {
  readonly #waits: ShownWait[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #questions = 0

  async ask<T>(work: () => Promise<T>): Promise<T> {
    this.#questions++
    this.#waits.at(-1)?.hide()
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => {})
    try {
      return await mine
    } finally {
      this.#questions--
      this.#showLast()
    }
  }

  async wait(wait: ShownWait, over: AbortSignal): Promise<'done' | 'cancel'> {
    this.#waits.at(-1)?.hide()
    this.#waits.push(wait)
    this.#showLast()
    over.addEventListener('abort', wait.end)
    if (over.aborted) wait.end()
    try {
      return await wait.reply
    } finally {
      over.removeEventListener('abort', wait.end)
      wait.hide()
      this.#waits.splice(this.#waits.indexOf(wait), 1)
      this.#showLast()
    }
  }

  #showLast(): void {
    const last = this.#questions === 0 ? this.#waits.at(-1) : undefined
    if (last !== undefined) inBackground(last.show())
  }
}
