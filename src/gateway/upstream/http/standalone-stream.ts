import type { Exchange, HttpEnd } from './exchange.ts'
import type { HttpWay } from './http-transport.ts'

/** Whose stream it is. */
export interface UnaskedDesk {
  headers(): string[]
  event(data: string): void
  /** The upstream knows the session no longer. */
  gone(): void
}

const firstWait = 1_000
const longestWait = 60_000

/** The stream of a 2025 session on which the upstream says what nobody asked for; made anew as often as it breaks. */
export class UnaskedStream {
  readonly #way: HttpWay
  readonly #desk: UnaskedDesk
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

  constructor(way: HttpWay, desk: UnaskedDesk) {
    this.#way = way
    this.#desk = desk
  }

  open(): void {
    if (this.#isClosed) return
    const headers = this.#desk.headers()
    if (this.#lastId !== undefined) headers.push('last-event-id', this.#lastId)
    this.#exchange = this.#way.send(
      { method: 'GET', headers },
      {
        head: () => this.#tellSettled(),
        event: (data) => {
          this.#wait = firstWait
          this.#desk.event(data)
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
      if (end.status === 404) this.#desk.gone()
      return
    }
    this.#lastId = exchange.lastEventId ?? this.#lastId
    this.#callOff = this.#way.clock.after(exchange.retry ?? this.#wait, () => this.open())
    this.#wait = Math.min(this.#wait * 2, longestWait)
  }
}
