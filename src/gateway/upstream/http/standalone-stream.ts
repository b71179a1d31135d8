import type { Exchange, HttpEnd } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'

/** Whose stream it is. */
export interface StandaloneStreamOwner {
  headers(): string[]
  event(data: string): void
  /** The upstream knows the session no longer. */
  gone(): void
}

const firstWait = 1_000
const longestWait = 60_000

/** The stream of a 2025 session on which the upstream says what nobody asked for; made anew as often as it breaks. */
export class StandaloneStream {
  readonly #transport: HttpTransport
  readonly #owner: StandaloneStreamOwner
  #exchange: Exchange | undefined
  #callOff: (() => void) | undefined
  #lastId: string | undefined
  #wait = firstWait
  #isClosed = false
  #tellSettled: () => void = () => {}
  /** Resolves when it is open, or the upstream said that it has none. */
  readonly settled = new Promise<void>((resolve) => {
    this.#tellSettled = resolve
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
        head: () => this.#tellSettled(),
        event: (data) => {
          this.#wait = firstWait
          this.#owner.event(data)
        },
        ended: (end, exchange) => this.#over(end, exchange),
      },
    )
  }

  close(): void {
    this.#isClosed = true
    this.#tellSettled()
    this.#callOff?.()
    this.#exchange?.abort()
  }

  #over(end: HttpEnd, exchange: Exchange): void {
    this.#tellSettled()
    if (this.#isClosed) return
    // Most servers that have no such stream say 405; 409 is one that has not noticed the old stream's end.
    if (end.kind === 'answer' && end.status < 500 && end.status !== 409 && end.status !== 429) {
      if (end.status === 404) this.#owner.gone()
      return
    }
    this.#lastId = exchange.lastEventId ?? this.#lastId
    this.#callOff = this.#transport.clock.after(exchange.retry ?? this.#wait, () => this.open())
    this.#wait = Math.min(this.#wait * 2, longestWait)
  }
}
