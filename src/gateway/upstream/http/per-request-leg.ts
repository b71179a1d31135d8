import { Conversation } from '../conversation.ts'
import type { Carrier, Flight } from '../pending-request.ts'
import type { UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { perRequestRevision } from '../wire/per-request.ts'
import { writeRequest } from '../wire/write.ts'
import type { Exchange, HttpEnd } from './exchange.ts'
import type { HttpWay } from './http-transport.ts'
import { judge } from './judge.ts'

/** Requests of 2026-07-28: each stands alone, on a stream of its own, and closing the stream cancels it (H26-11). */
export class PerRequestLeg implements Carrier {
  readonly #way: HttpWay
  readonly #conversation: Conversation

  constructor(way: HttpWay, dropped: () => void) {
    this.#way = way
    this.#conversation = new Conversation({
      clock: way.clock,
      limits: way.surroundings.limits,
      say: () => {},
      tell: () => {},
      dropped,
    })
    this.#conversation.perRequest = true
  }

  get inFlight(): number {
    return this.#conversation.flights.size
  }

  request(request: UpstreamRequest): Promise<UpstreamReply> {
    const way = this.#way
    const flight = this.#conversation.take(this, request)
    const body = writeRequest(flight, true, way.surroundings.self)
    if (body === undefined) return flight.ended
    flight.line = way.send(
      { method: 'POST', headers: way.perRequestHeaders(perRequestRevision, request), body },
      {
        started: () => {
          flight.sent = true
        },
        event: (data) => this.#conversation.hear(readMessage(data), flight),
        ended: (end, exchange) => this.#over(flight, end, exchange),
      },
    )
    flight.watch()
    return flight.ended
  }

  landed(flight: Flight): void {
    this.#conversation.leave(flight)
    flight.line?.leave(flight.reply?.kind !== 'lost')
  }

  close(): void {
    this.#conversation.loseAll('closed', 'the gateway ends')
  }

  #over(flight: Flight, end: HttpEnd, exchange: Exchange) {
    if (flight.reply !== undefined) return this.#way.lingering.remove(exchange)
    if (end.kind === 'answer' && end.status < 300) this.#conversation.hear(readMessage(end.text), flight)
    if (flight.reply === undefined) flight.end(judge(end, flight.sent))
  }
}
