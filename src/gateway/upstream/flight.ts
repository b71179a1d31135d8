import type { Json } from '../../base/json.ts'
import type { LostReason, RpcId, UpstreamHooks, UpstreamReply, UpstreamRequest } from './upstream.ts'

/** One request on its way. It ends once; whatever comes later changes nothing. */
export class Flight {
  readonly request: UpstreamRequest
  /** The id on the wire. */
  readonly id: RpcId
  /** Its place among those in flight. */
  readonly place: RpcId
  /** Whether the client's own bytes go out, with its own id and token. */
  readonly isOriginal: boolean
  /** From here on the upstream may have begun to work on it. */
  sent = false
  reply: UpstreamReply | undefined
  /** Frees what the transport holds for it. */
  release: (flight: Flight) => void = nothing
  readonly ended: Promise<UpstreamReply>
  #end: (reply: UpstreamReply) => void = nothing
  #cancel: (() => void) | undefined

  constructor(request: UpstreamRequest, id: RpcId, place: RpcId, isOriginal: boolean) {
    this.request = request
    this.id = id
    this.place = place
    this.isOriginal = isOriginal
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
    const token = this.callerToken
    return token === undefined || this.isOriginal ? token : this.id
  }

  /** Ends the flight when the caller wants it no more; `cancel` tells the upstream. */
  watch(cancel: () => void): void {
    const { signal } = this.request
    this.#cancel = () => {
      if (this.reply !== undefined) return
      cancel()
      this.lose('cancelled', 'the caller wants no answer any more')
    }
    if (signal.aborted) this.#cancel()
    else signal.addEventListener('abort', this.#cancel, { once: true })
  }

  lose(reason: LostReason, detail: string, sent = this.sent): void {
    this.end({ kind: 'lost', reason, sent, detail })
  }

  end(reply: UpstreamReply): void {
    if (this.reply !== undefined) return
    this.reply = reply
    if (this.#cancel !== undefined) this.request.signal.removeEventListener('abort', this.#cancel)
    this.release(this)
    this.#end(reply)
  }
}

function nothing(): void {}
