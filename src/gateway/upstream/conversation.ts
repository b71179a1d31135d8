import type { Clock } from '../../base/clock.ts'
import { CompactMap } from '../../base/compact-map.ts'
import type { JsonObject } from '../../base/json.ts'
import { refusalCode } from '../../mcp/refusal.ts'
import type { UpstreamLimits } from './options.ts'
import { type PendingOwner, PendingRequest } from './pending-request.ts'
import type { AskReply, RpcId, UpstreamRequest } from './upstream.ts'
import { floodGate } from './wire/flood-gate.ts'
import {
  isObject,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from './wire/message.ts'
import { subscriptionKey } from './wire/per-request.ts'

/** Who talks, and how. */
export interface ConversationOwner {
  readonly clock: Clock
  readonly limits: UpstreamLimits
  /** Says something to the upstream; `flight` is the request it belongs to, if any. */
  say(message: JsonObject, pending?: PendingRequest): void
  /** What belongs to no request. */
  tell(method: string, params: JsonObject): void
  dropped(): void
}

const askable = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
/** How long a cancelled request may still be the one that a question came from. */
const orphanTime = 60_000

/**
 * One 2025 session, or one process: who has which request in flight, whose a question is, what is told to whom.
 * A question on a request's own stream is that request's. Any other is the one request's that can have caused it, and
 * where several can, nobody's: it is answered with an error, never guessed.
 */
export class Conversation {
  /** 2026-07-28: the upstream asks by results only, and what it says belongs to a request or to nobody. */
  perRequest = false
  readonly pending = new CompactMap<RpcId, PendingRequest>()
  readonly #owner: ConversationOwner
  readonly #asks = new Map<RpcId, { controller: AbortController; pending: PendingRequest; isAnyones: boolean }>()
  readonly #orphans = new Map<RpcId, number>()
  readonly #mayPass: () => boolean
  #lastId = 0
  #callOffSilence: (() => void) | undefined

  constructor(owner: ConversationOwner) {
    this.#owner = owner
    this.#mayPass = floodGate(owner.limits.notificationsPerSecond, owner.clock)
  }

  /** Takes a request on board. Its id is one that no other has. */
  take(carrier: PendingOwner, request: UpstreamRequest): PendingRequest {
    const pending = new PendingRequest(carrier, request, this.#freeId())
    pending.heardAt = this.#now()
    this.pending.set(pending.id, pending)
    this.#listenForSilence()
    return pending
  }

  /** Lets an ended request go; what the upstream still asks for it is no longer wanted. */
  leave(pending: PendingRequest): void {
    this.pending.delete(pending.id)
    if (pending.sent && pending.reply?.kind === 'lost' && pending.hooks?.asked !== undefined && !this.perRequest) {
      this.#orphans.set(pending.id, this.#now() + orphanTime)
    }
    if (this.#asks.size === 0) return
    for (const [id, ask] of this.#asks) {
      if (ask.pending !== pending) continue
      // What came on no request's stream may be another's question, which is still wanted.
      const other = ask.isAnyones ? this.#onlyAsker() : undefined
      if (other === undefined) this.#dropAsk(id)
      else ask.pending = other
    }
  }

  /** Whether a request that was given up may still ask something. */
  get hasOrphans(): boolean {
    if (this.#orphans.size === 0) return false
    const now = this.#now()
    for (const [id, until] of this.#orphans) if (until <= now) this.#orphans.delete(id)
    return this.#orphans.size > 0
  }

  /** Ends all that is in flight. */
  loseAll(...why: Parameters<PendingRequest['lose']>): void {
    this.#callOffSilence?.()
    this.#callOffSilence = undefined
    for (const pending of this.pending.values()) pending.lose(...why)
    for (const id of [...this.#asks.keys()]) this.#dropAsk(id)
  }

  /** `stream` is the request on whose own stream the message came. */
  hear(message: Message | undefined, stream?: PendingRequest) {
    if (message === undefined) return this.#owner.dropped()
    if (stream !== undefined) stream.heardAt = this.#now()
    switch (message.kind) {
      case 'response':
        return this.#answered(message, stream)
      case 'request':
        return this.#asked(message, stream)
      case 'notification':
        return this.#mayPass() ? this.#told(message, stream) : this.#owner.dropped()
    }
  }

  #answered({ id, result, error }: ResponseMessage, stream: PendingRequest | undefined): void {
    const pending = id === null || stream?.id === id ? stream : this.pending.get(id)
    if (pending === undefined || pending.reply !== undefined || (stream !== undefined && pending !== stream)) {
      if (id === null || !this.#orphans.delete(id)) this.#owner.dropped()
      return
    }
    if (error !== undefined) pending.end({ kind: 'error', error })
    else if (result !== undefined) pending.end({ kind: 'result', result })
  }

  #asked({ id, method, params }: RequestMessage, stream: PendingRequest | undefined) {
    // T26-02: a 2026 server must not ask so, and a client must not answer.
    if (this.perRequest || this.#asks.has(id)) return this.#owner.dropped()
    const answer = (reply: AskReply, pending?: PendingRequest) =>
      this.#owner.say({ jsonrpc: '2.0', id, ...reply } as never, pending)
    if (!this.#mayPass()) return this.#owner.dropped()
    if (method === 'ping') return answer({ result: {} }, stream)
    if (!askable.has(method)) return answer({ error: { code: -32601, message: 'Method not found' } }, stream)

    const pending = stream ?? this.#onlyAsker()
    if (pending === undefined) return answer(refusal('nobody', 'Nothing tells whose question this is.'))
    const hook = pending.hooks?.asked
    if (hook === undefined) return answer({ error: { code: -32601, message: 'Nobody can be asked here.' } }, pending)
    if (this.#asks.size >= this.#owner.limits.openAsks) {
      return answer(refusal('too-many', 'Too many questions are open.'), pending)
    }
    const ask = { controller: new AbortController(), pending, isAnyones: stream === undefined }
    this.#asks.set(id, ask)
    void settled(() => hook.call(pending.hooks, method, params, ask.controller.signal)).then((reply) => {
      if (this.#asks.get(id) !== ask) return
      this.#asks.delete(id)
      pending.heardAt = this.#now()
      answer(reply, pending)
    })
  }

  #onlyAsker(): PendingRequest | undefined {
    if (this.hasOrphans) return undefined
    let only: PendingRequest | undefined
    for (const pending of this.pending.values()) {
      if (pending.hooks?.asked === undefined) continue
      if (only === undefined) only = pending
      // All of one 2025 client's: whichever it belongs to, that client is the one to ask.
      else if (only.request.exclusive !== false || pending.request.exclusive !== false) return undefined
    }
    return only
  }

  #told({ method, params }: NotificationMessage, stream: PendingRequest | undefined) {
    switch (method) {
      case 'notifications/progress':
        return this.#progressed(params, stream ?? this.#byToken(params.progressToken))
      case 'notifications/cancelled':
        return isId(params.requestId) ? this.#dropAsk(params.requestId) : undefined
      case 'notifications/message': {
        const pending = stream ?? (this.pending.size === 1 ? this.pending.values()[0] : undefined)
        if (pending?.hooks?.log !== undefined) return quietly(() => pending.hooks?.log?.(params))
        return this.#standalone(method, params)
      }
      case 'notifications/elicitation/complete': {
        const id = params.elicitationId
        const pending = stream === undefined ? this.pending.values() : [stream]
        if (typeof id === 'string') for (const { hooks } of pending) quietly(() => hooks?.completed?.(id))
        return this.#standalone(method, params)
      }
      default: {
        const pending = stream ?? this.#bySubscription(params)
        if (pending?.hooks?.news !== undefined) return quietly(() => pending.hooks?.news?.(method, params))
        return this.#standalone(method, params)
      }
    }
  }

  #progressed(params: JsonObject, pending: PendingRequest | undefined) {
    const token = pending?.callerToken
    if (pending === undefined || token === undefined || params.progressToken !== pending.wireToken) {
      return this.#owner.dropped()
    }
    pending.heardAt = this.#now()
    quietly(() => pending.hooks?.progress?.({ ...params, progressToken: token }))
  }

  #byToken(token: unknown): PendingRequest | undefined {
    if (!isId(token)) return undefined
    const pending = this.pending.get(token)
    if (pending?.wireToken === token) return pending
    return this.pending.values().find(({ wireToken }) => wireToken === token)
  }

  #bySubscription({ _meta }: JsonObject): PendingRequest | undefined {
    const id = isObject(_meta) ? _meta[subscriptionKey] : undefined
    return isId(id) ? this.pending.get(id) : undefined
  }

  #standalone(method: string, params: JsonObject): void {
    // Many requesters share a 2026 upstream: what names no request is nobody's.
    if (this.perRequest) this.#owner.dropped()
    else this.#owner.tell(method, params)
  }

  /** One timer for all flights: one for each would cost more than the rest of its watching. */
  #listenForSilence(): void {
    const { clock, limits } = this.#owner
    this.#callOffSilence ??= clock.after(limits.silence / 4, () => {
      this.#callOffSilence = undefined
      const now = this.#now()
      for (const pending of this.pending.values()) {
        // Until it is sent, other limits hold, and while it asks, those of people.
        if (!pending.sent || this.#isAsking(pending)) pending.heardAt = now
        else if (pending.heardAt <= now - limits.silence && !withoutClock.has(pending.request.method)) {
          pending.lose('silent', `nothing was heard of it for ${limits.silence} ms`)
        }
      }
      if (this.pending.size > 0) this.#listenForSilence()
    })
  }

  #isAsking(pending: PendingRequest): boolean {
    for (const ask of this.#asks.values()) if (ask.pending === pending) return true
    return false
  }

  #dropAsk(id: RpcId): void {
    const ask = this.#asks.get(id)
    this.#asks.delete(id)
    ask?.controller.abort()
  }

  #freeId(): RpcId {
    do this.#lastId += 1
    while (this.pending.has(this.#lastId) || this.#orphans.has(this.#lastId))
    return this.#lastId
  }

  #now(): number {
    return this.#owner.clock.now().getTime()
  }
}

/** Who listens waits for as long as there is nothing to hear; a handshake has a clock of its own. */
const withoutClock = new Set(['subscriptions/listen', 'initialize', 'server/discover'])

function refusal(reason: string, message: string): AskReply {
  return { error: { code: refusalCode, message, data: { status: 'cannot-ask', reason } } }
}

async function settled(ask: () => Promise<AskReply>): Promise<AskReply> {
  try {
    return await ask()
  } catch {
    return { error: { code: -32603, message: 'The question could not be put.' } }
  }
}

function quietly(hook: () => void): void {
  try {
    hook()
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error), 'AssentListenerWarning')
  }
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number'
}
