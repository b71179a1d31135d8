import { Conversation } from '../conversation.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type { UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { perRequestRevision } from '../wire/per-request.ts'
import { writeRequest } from '../wire/write.ts'
import type { Exchange, HttpEnd } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'
import { judge } from './judge.ts'

/** Requests of 2026-07-28: each stands alone, on a stream of its own, and closing the stream cancels it (H26-11). */
export class PerRequestLeg implements PendingOwner {
  readonly #transport: HttpTransport
  readonly #conversation: Conversation

  constructor(transport: HttpTransport, dropped: () => void) {
    this.#transport = transport
    this.#conversation = new Conversation({
      clock: transport.clock,
      limits: transport.context.limits,
      say: () => {},
      tell: () => {},
      dropped,
    })
    this.#conversation.perRequest = true
  }

  get inFlight(): number {
    return this.#conversation.pending.size
  }

  request(request: UpstreamRequest): Promise<UpstreamReply> {
    const transport = this.#transport
    const pending = this.#conversation.take(this, request)
    const body = writeRequest(pending, true, transport.context.self)
    if (body === undefined) return pending.ended
    pending.stream = transport.send(
      { method: 'POST', headers: transport.perRequestHeaders(perRequestRevision, request), body },
      {
        started: () => {
          pending.sent = true
        },
        event: (data) => this.#conversation.hear(readMessage(data), pending),
        ended: (end, exchange) => this.#over(pending, end, exchange),
      },
    )
    pending.watch()
    return pending.ended
  }

  ended(pending: PendingRequest): void {
    this.#conversation.leave(pending)
    pending.stream?.leave(pending.reply?.kind !== 'lost')
  }

  close(): void {
    this.#conversation.loseAll('closed', 'the gateway ends')
  }

  #over(pending: PendingRequest, end: HttpEnd, exchange: Exchange) {
    if (pending.reply !== undefined) return this.#transport.lingering.remove(exchange)
    if (end.kind === 'answer' && end.status < 300) this.#conversation.hear(readMessage(end.text), pending)
    if (pending.reply === undefined) pending.end(judge(end, pending.sent))
  }
}
