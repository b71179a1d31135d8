import type { Json } from '../../base/json.ts'
import type { Lost, LostReason, RpcId, UpstreamHooks, UpstreamReply, UpstreamRequest } from './upstream.ts'

/** The session, process or sender that a request is in flight on. */
export interface PendingOwner {
  /** The request has ended; the owner frees whatever it holds for it. */
  ended(pending: PendingRequest): void
}

/** The HTTP stream that brings the reply to one request. */
export interface ReplyStream {
  /** The request has ended, with a reply or without one. */
  release(hasReply: boolean): void
}

/**
 * One request in flight. It ends once; later replies are ignored.
 * No closure made for one request is stored in a property of it: V8 would keep the closure and everything it refers to
 * in memory long after the request has ended.
 */
export class PendingRequest {
  readonly request: UpstreamRequest
  /** The id on the wire. */
  readonly id: RpcId
  /** True as soon as the upstream may have begun to work on the request. */
  sent = false
  reply: UpstreamReply | undefined
  stream: ReplyStream | undefined
  /** When the upstream last sent something about the request, or when the request was sent. */
  lastActivityAt = 0
  readonly ended: Promise<UpstreamReply>
  readonly #owner: PendingOwner
  #resolve: (reply: UpstreamReply) => void = nothing
  #watchesSignal = false

  constructor(owner: PendingOwner, request: UpstreamRequest, id: RpcId) {
    this.#owner = owner
    this.request = request
    this.id = id
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  get hooks(): UpstreamHooks | undefined {
    return this.request.hooks
  }

  /** The progress token that the caller chose. */
  get callerToken(): Json | undefined {
    const meta = this.request.params._meta
    return meta === undefined || meta === null || typeof meta !== 'object' || Array.isArray(meta)
      ? undefined
      : meta.progressToken
  }

  /** The progress token that was sent to the upstream. */
  get wireToken(): Json | undefined {
    return this.callerToken === undefined ? undefined : this.id
  }

  /** Whether the request was given up after it was sent, so that the upstream should get `notifications/cancelled`. */
  get needsCancelNotice(): boolean {
    return this.sent && this.reply?.kind === 'lost' && ['cancelled', 'silent'].includes(this.reply.reason)
  }

  /** Ends the request as cancelled when the caller's signal aborts. */
  watchSignal() {
    const { signal } = this.request
    if (signal.aborted) return this.handleEvent()
    this.#watchesSignal = true
    signal.addEventListener('abort', this, { once: true })
  }

  /** The caller's signal was aborted. The request itself is the event listener, which saves a closure. */
  handleEvent(): void {
    this.lose('cancelled', 'the caller cancelled the request')
  }

  /** For a request that had to wait: ends it unless it is to be sent still. */
  async lookAgain(): Promise<void> {
    if (this.reply !== undefined || this.hooks?.late === undefined) return
    const isWanted = await Promise.race([isStillWanted(this.request), this.ended.then(() => true)])
    if (!isWanted) this.end(notWanted)
  }

  lose(reason: LostReason, detail: string, sent = this.sent): void {
    this.end({ kind: 'lost', reason, sent, detail })
  }

  end(reply: UpstreamReply): void {
    if (this.reply !== undefined) return
    this.reply = reply
    if (this.#watchesSignal) this.request.signal.removeEventListener('abort', this)
    this.#owner.ended(this)
    this.#resolve(reply)
  }
}

/** Whether a request that had to wait is to be sent still. */
export async function isStillWanted({ hooks }: Pick<UpstreamRequest, 'hooks'>): Promise<boolean> {
  return hooks?.late === undefined || (await hooks.late().catch(() => false))
}

export const notWanted: Lost = {
  kind: 'lost',
  reason: 'cancelled',
  sent: false,
  detail: 'what let it run no longer holds',
}

function nothing(): void {}
