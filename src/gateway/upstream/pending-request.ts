import type { Json } from '../../base/json.ts'
import type { LostReason, RpcId, UpstreamHooks, UpstreamReply, UpstreamRequest } from './upstream.ts'

/** Who carries flights: told of each that has ended, to free what it holds for it. */
export interface PendingOwner {
  ended(pending: PendingRequest): void
}

/** What a flight is on, such as a stream of its own. */
export interface ReplyStream {
  /** The flight has its end, by an answer or without one. */
  leave(hasAnswer: boolean): void
}

/**
 * One request on its way. It ends once; whatever comes later changes nothing.
 * No function made for one flight is a property of it: such a function, and all that it sees, outlives the flight by far.
 */
export class PendingRequest {
  readonly request: UpstreamRequest
  /** The id on the wire. */
  readonly id: RpcId
  /** From here on the upstream may have begun to work on it. */
  sent = false
  reply: UpstreamReply | undefined
  stream: ReplyStream | undefined
  /** When the upstream last said something about it, or it was sent. */
  heardAt = 0
  readonly ended: Promise<UpstreamReply>
  readonly #carrier: PendingOwner
  #end: (reply: UpstreamReply) => void = nothing
  #isWatched = false

  constructor(carrier: PendingOwner, request: UpstreamRequest, id: RpcId) {
    this.#carrier = carrier
    this.request = request
    this.id = id
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  get hooks(): UpstreamHooks | undefined {
    return this.request.hooks
  }

  /** The token the caller wants to hear progress by. */
  get callerToken(): Json | undefined {
    const meta = this.request.params._meta
    return meta === undefined || meta === null || typeof meta !== 'object' || Array.isArray(meta)
      ? undefined
      : meta.progressToken
  }

  /** The token the upstream knows. */
  get wireToken(): Json | undefined {
    return this.callerToken === undefined ? undefined : this.id
  }

  /** Whether nobody waits for it any more after it was sent, so that the upstream should be told. */
  get isTakenBack(): boolean {
    return this.sent && this.reply?.kind === 'lost' && ['cancelled', 'silent'].includes(this.reply.reason)
  }

  /** Ends the flight when the caller wants it no more. */
  watch() {
    const { signal } = this.request
    if (signal.aborted) return this.handleEvent()
    this.#isWatched = true
    signal.addEventListener('abort', this, { once: true })
  }

  /** The caller wants it no more. */
  handleEvent(): void {
    this.lose('cancelled', 'the caller wants no answer any more')
  }

  lose(reason: LostReason, detail: string, sent = this.sent): void {
    this.end({ kind: 'lost', reason, sent, detail })
  }

  end(reply: UpstreamReply): void {
    if (this.reply !== undefined) return
    this.reply = reply
    if (this.#isWatched) this.request.signal.removeEventListener('abort', this)
    this.#carrier.ended(this)
    this.#end(reply)
  }
}

function nothing(): void {}
