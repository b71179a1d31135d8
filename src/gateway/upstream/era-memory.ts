import type { Clock } from '../../base/clock.ts'
import type { UpstreamEra, UpstreamReply } from './upstream.ts'

// These say nothing against the era in which they were got.
const ordinary = new Set([-32601, -32602, -32603, -32020, -32021, -32002, -32042])
const telling = new Set(['down', 'broken', 'malformed', 'refused', 'redirected', 'unsupported'])

/** What probing found, believed for a while and not after a failure (V26-06). */
export class EraMemory {
  readonly #clock: Clock
  readonly #age: number
  #era: UpstreamEra | undefined
  #until = 0

  constructor(clock: Clock, age: number) {
    this.#clock = clock
    this.#age = age
  }

  get era(): UpstreamEra | undefined {
    if (this.#era !== undefined && this.#clock.now().getTime() >= this.#until) this.#era = undefined
    return this.#era
  }

  keep(era: UpstreamEra): void {
    this.#era = era
    this.#until = this.#clock.now().getTime() + this.#age
  }

  forget(): void {
    this.#era = undefined
  }

  /** Forgets where an answer may mean that the upstream is another one now. */
  doubt(reply: UpstreamReply): void {
    if (reply.kind === 'lost' && telling.has(reply.reason)) this.forget()
    if (reply.kind === 'error' && this.#era?.perRequest === true && isUnusual(reply.error.code)) this.forget()
  }
}

function isUnusual(code: number): boolean {
  return code <= -32000 && code >= -32768 && !ordinary.has(code)
}
