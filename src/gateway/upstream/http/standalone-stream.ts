import type { Exchange, HttpOutcome } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'

/** The session that a standalone stream belongs to. */
export interface StandaloneStreamOwner {
  headers(): string[]
  event(data: string): void
  /** The upstream does not know the session any more. */
  sessionGone(): void
}

const firstWaitMs = 1_000
const maxWaitMs = 60_000

/** The GET stream of a 2025 session, for messages that belong to no request. It is reopened each time it breaks. */
export class StandaloneStream {
  readonly #transport: HttpTransport
  readonly #owner: StandaloneStreamOwner
  #exchange: Exchange | undefined
  #cancelTimer: (() => void) | undefined
  #lastId: string | undefined
  #waitMs = firstWaitMs
  #isClosed = false
  #resolveSettled: () => void = () => {}
  /** Resolves when the stream is open, or the upstream has refused it. */
  readonly settled = new Promise<void>((resolve) => {
    this.#resolveSettled = resolve
  })

  constructor(transport: HttpTransport, owner: StandaloneStreamOwner) {
    this.#transport = transport
    this.#owner = owner
  }

  open(): void {
    if (this.#isClosed) return
    const headers = this.#owner.headers()
    if (this.#lastId !== undefined) headers.push('last-event-id', this.#lastId)
    this.#exchange = this.#transport.send(
      { method: 'GET', headers },
      {
        head: () => this.#resolveSettled(),
        event: (data) => {
          this.#waitMs = firstWaitMs
          this.#owner.event(data)
        },
        ended: (outcome, exchange) => this.#onEnd(outcome, exchange),
      },
    )
  }

  close(): void {
    this.#isClosed = true
    this.#resolveSettled()
    this.#cancelTimer?.()
    this.#exchange?.abort()
  }

  #onEnd(outcome: HttpOutcome, exchange: Exchange): void {
    this.#resolveSettled()
    if (this.#isClosed) return
    // Servers without such a stream answer 405. 409 comes from a server that has not noticed the end of the old stream.
    if (outcome.kind === 'response' && outcome.status < 500 && outcome.status !== 409 && outcome.status !== 429) {
      if (outcome.status === 404) this.#owner.sessionGone()
      return
    }
    this.#lastId = exchange.lastEventId ?? this.#lastId
    this.#cancelTimer = this.#transport.clock.after(exchange.retry ?? this.#waitMs, () => this.open())
    this.#waitMs = Math.min(this.#waitMs * 2, maxWaitMs)
  }
}
