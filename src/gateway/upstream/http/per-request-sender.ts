import { Conversation } from '../conversation.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type { UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { perRequestRevision } from '../wire/per-request.ts'
import { writeRequest } from '../wire/write.ts'
import type { Exchange, HttpOutcome } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'
import { replyFromOutcome } from './reply-from-outcome.ts'

/** Sends requests of 2026-07-28: each has an HTTP stream of its own, and closing the stream cancels it (H26-11). */
export class PerRequestSender implements PendingOwner {
  readonly #transport: HttpTransport
  readonly #conversation: Conversation

  constructor(transport: HttpTransport, dropped: () => void) {
    this.#transport = transport
    this.#conversation = new Conversation({
      clock: transport.clock,
      limits: transport.context.limits,
      reserve: transport.reserve,
      send() {},
      notified() {},
      dropped,
      tooManyValues() {},
    })
    this.#conversation.perRequest = true
  }

  get inFlight(): number {
    return this.#conversation.inFlight
  }

  request(request: UpstreamRequest): Promise<UpstreamReply> {
    const transport = this.#transport
    const pending = this.#conversation.register(this, request)
    const body = writeRequest(pending, true, transport.context.self)
    if (body === undefined) return pending.ended
    pending.stream = transport.send(
      { method: 'POST', headers: transport.perRequestHeaders(perRequestRevision, request), body },
      {
        started: () => {
          pending.sent = true
        },
        event: (data) => this.#conversation.receive(data, pending),
        ended: (outcome, exchange) => this.#onEnd(pending, outcome, exchange),
      },
    )
    pending.watchSignal()
    return pending.ended
  }

  ended(pending: PendingRequest): void {
    this.#conversation.unregister(pending)
    pending.stream?.release(pending.reply?.kind !== 'lost')
  }

  close(): void {
    this.#conversation.loseAll('closed', 'the gateway is shutting down')
  }

  #onEnd(pending: PendingRequest, outcome: HttpOutcome, exchange: Exchange) {
    if (pending.reply !== undefined) return this.#transport.draining.remove(exchange)
    if (outcome.kind === 'response' && outcome.status < 300) {
      this.#conversation.receive(outcome.text, pending)
    }
    if (pending.reply === undefined)
      pending.end(replyFromOutcome(outcome, pending.sent, this.#transport.context.limits))
  }
}
