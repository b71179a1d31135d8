import type { Clock } from '../../base/clock.ts'
import { CompactMap } from '../../base/compact-map.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Lease } from '../../base/limits/budget.ts'
import { hasMoreValues, memoryOf } from '../../base/limits/json-values.ts'
import { inBackground, warnOf } from '../../base/under-way.ts'
import { codes } from '../../mcp/codes.ts'
import type { UpstreamLimits } from './options.ts'
import { type PendingOwner, PendingRequest } from './pending-request.ts'
import type { AskReply, RpcId, UpstreamRequest } from './upstream.ts'
import {
  isObject,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  readMessage,
  readResult,
} from './wire/message.ts'
import { subscriptionKey } from './wire/per-request.ts'
import { rateLimiter } from './wire/rate-limiter.ts'
import type { ReserveBytes } from './wire/received-bytes.ts'

/** The session or process that a conversation belongs to. */
export interface ConversationOwner {
  readonly clock: Clock
  readonly limits: UpstreamLimits
  /** Ids of requests begin above it. Left out: at 1. */
  readonly lastId?: number | undefined
  /** Reserves memory for questions of the upstream. */
  readonly reserve: ReserveBytes
  /** Sends a message to the upstream; `pending` is the request it belongs to, if any. */
  send(message: JsonObject, pending?: PendingRequest): void
  /** The upstream sent a notification that belongs to no request. */
  notified(method: string, params: JsonObject): void
  /** A message was malformed, unexpected or over the rate limit, and was dropped. */
  dropped(): void
  /** A message that came on no request's own stream holds too many values to be read. */
  tooManyValues(text: string): void
}

const askMethods = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list'])
/** For how long a question may still come from a request that was cancelled. */
const orphanMs = 60_000

/** A question of the upstream that has no answer yet. */
interface OpenQuestion {
  readonly controller: AbortController
  readonly isUnattributed: boolean
  /** The memory that it takes. */
  readonly lease: Lease
  pending: PendingRequest
}

/**
 * The requests in flight on one 2025 session or one process, and which of them an upstream's message belongs to.
 * A question on a request's own stream belongs to that request. Any other question belongs to the only request that can
 * have caused it; if several can, the question is answered with an error rather than guessed.
 */
export class Conversation {
  /** 2026-07-28: the upstream asks by results only, and a notification that names no request is dropped. */
  perRequest = false
  readonly pending = new CompactMap<RpcId, PendingRequest>()
  readonly #owner: ConversationOwner
  readonly #asks = new Map<RpcId, OpenQuestion>()
  readonly #orphans = new Map<RpcId, number>()
  readonly #isWithinRate: () => boolean
  #lastId = 0
  #cancelSilenceCheck: (() => void) | undefined

  constructor(owner: ConversationOwner) {
    this.#owner = owner
    this.#lastId = owner.lastId ?? 0
    this.#isWithinRate = rateLimiter(owner.limits.notificationsPerSecond, owner.clock)
  }

  /** How many requests wait for their reply, besides those that only listen. */
  get inFlight(): number {
    return [...this.pending.values()].filter(({ request }) => request.method !== listen).length
  }

  /** Adds a request, under an id that no other request has. */
  register(owner: PendingOwner, request: UpstreamRequest): PendingRequest {
    const pending = new PendingRequest(owner, request, this.#freeId())
    pending.lastActivityAt = this.#now()
    this.pending.set(pending.id, pending)
    this.#scheduleSilenceCheck()
    return pending
  }

  /** Removes an ended request and withdraws the questions that the upstream asked for it. */
  unregister(pending: PendingRequest): void {
    this.pending.delete(pending.id)
    if (pending.sent && pending.reply?.kind === 'lost' && pending.hooks?.asked !== undefined && !this.perRequest) {
      this.#orphans.set(pending.id, this.#now() + orphanMs)
    }
    if (this.#asks.size === 0) return
    for (const [id, ask] of this.#asks) {
      if (ask.pending !== pending) continue
      // A question that came outside of a request's stream may belong to another request, which still needs the answer.
      const other = ask.isUnattributed ? this.#onlyPossibleAsker() : undefined
      if (other !== undefined) ask.pending = other
      else {
        this.#dropAsk(id)
        // Nobody knows whose question it was, and another request must not wait for its answer for ever.
        if (ask.isUnattributed && this.pending.size > 0)
          this.#owner.send({ jsonrpc: '2.0', id, ...unknownAsker } as never)
      }
    }
  }

  /** Whether a cancelled request may still ask something. */
  get hasOrphans(): boolean {
    if (this.#orphans.size === 0) return false
    const now = this.#now()
    for (const [id, until] of this.#orphans) if (until <= now) this.#orphans.delete(id)
    return this.#orphans.size > 0
  }

  /** Ends every request in flight as lost. */
  loseAll(...why: Parameters<PendingRequest['lose']>): void {
    this.#cancelSilenceCheck?.()
    this.#cancelSilenceCheck = undefined
    for (const pending of this.pending.values()) pending.lose(...why)
    for (const id of [...this.#asks.keys()]) this.#dropAsk(id)
  }

  /** Handles one message from the upstream. `stream` is the request on whose own stream it came, if any. */
  receive(text: string, stream?: PendingRequest) {
    const { messageValues } = this.#owner.limits
    const result = stream && readResult(text, stream.id, messageValues)
    const message = result ?? readMessage(text, messageValues)
    if (message === undefined) {
      this.#owner.dropped()
      return hasMoreValues(text, messageValues) ? this.#onTooManyValues(text, stream) : undefined
    }
    if (stream !== undefined) stream.lastActivityAt = this.#now()
    switch (message.kind) {
      case 'response':
        return this.#onResponse(message, text.length, stream)
      case 'request':
        return this.#onRequest(message, text.length, stream)
      case 'notification':
        return this.#isWithinRate() ? this.#onNotification(message, stream) : this.#owner.dropped()
    }
  }

  #onTooManyValues(text: string, stream: PendingRequest | undefined): void {
    if (stream === undefined) this.#owner.tooManyValues(text)
    else stream.lose('too-long', `a message holds more than ${this.#owner.limits.messageValues} values`)
  }

  #onResponse(
    { id, result, written, error }: ResponseMessage,
    length: number,
    stream: PendingRequest | undefined,
  ): void {
    const pending = id === null || stream?.id === id ? stream : this.pending.get(id)
    if (pending === undefined || pending.reply !== undefined || (stream !== undefined && pending !== stream)) {
      if (id === null || !this.#orphans.delete(id)) this.#owner.dropped()
      return
    }
    if (error !== undefined) pending.end({ kind: 'error', error })
    else if (result !== undefined) pending.end({ kind: 'result', result, written, length })
  }

  #onRequest({ id, method, params }: RequestMessage, length: number, stream: PendingRequest | undefined) {
    // T26-02: a 2026 server must not send requests, and a client must not answer them.
    if (this.perRequest || this.#asks.has(id)) return this.#owner.dropped()
    const answer = (reply: AskReply, pending?: PendingRequest) =>
      this.#owner.send({ jsonrpc: '2.0', id, ...reply } as never, pending)
    if (!this.#isWithinRate()) return this.#owner.dropped()
    if (method === 'ping') return answer({ result: {} }, stream)
    if (!askMethods.has(method))
      return answer({ error: { code: codes.methodNotFound, message: 'Method not found' } }, stream)

    const pending = stream ?? this.#onlyPossibleAsker()
    if (pending === undefined) return answer(unknownAsker)
    const hook = pending.hooks?.asked
    if (hook === undefined)
      return answer({ error: { code: codes.methodNotFound, message: 'This client cannot be asked.' } }, pending)
    const lease =
      this.#asks.size < this.#owner.limits.openAsks ? this.#owner.reserve(memoryOf(params, length)) : undefined
    if (lease === undefined) return answer(refusal('too-many', 'Too many questions are open already.'), pending)
    const ask = { controller: new AbortController(), pending, isUnattributed: stream === undefined, lease }
    this.#asks.set(id, ask)
    const asking = replyOrError(() => hook.call(pending.hooks, method, params, ask.controller.signal)).then((reply) => {
      if (this.#asks.get(id) !== ask) return
      this.#asks.delete(id)
      lease.release()
      pending.lastActivityAt = this.#now()
      answer(reply, pending)
    })
    inBackground(asking)
  }

  #onlyPossibleAsker(): PendingRequest | undefined {
    if (this.hasOrphans) return undefined
    let only: PendingRequest | undefined
    for (const pending of this.pending.values()) {
      if (pending.hooks?.asked === undefined) continue
      if (only === undefined) only = pending
      // Requests that are not exclusive all come from one 2025 client, so that client is asked either way.
      else if (only.request.exclusive !== false || pending.request.exclusive !== false) return undefined
    }
    return only
  }

  #onNotification({ method, params }: NotificationMessage, stream: PendingRequest | undefined) {
    switch (method) {
      case 'notifications/progress':
        return this.#onProgress(params, stream ?? this.#byToken(params.progressToken))
      case 'notifications/cancelled':
        return isId(params.requestId) ? this.#dropAsk(params.requestId) : undefined
      case 'notifications/message': {
        const pending = stream ?? (this.pending.size === 1 ? this.pending.values()[0] : undefined)
        if (pending?.hooks?.log !== undefined) return runHook(() => pending.hooks?.log?.(params))
        return this.#passToOwner(method, params)
      }
      case 'notifications/elicitation/complete': {
        const id = params.elicitationId
        const pending = stream === undefined ? this.pending.values() : [stream]
        if (typeof id === 'string') for (const { hooks } of pending) runHook(() => hooks?.completed?.(id))
        return this.#passToOwner(method, params)
      }
      default: {
        const pending = stream ?? this.#bySubscription(params)
        if (pending?.hooks?.notification !== undefined)
          return runHook(() => pending.hooks?.notification?.(method, params))
        return this.#passToOwner(method, params)
      }
    }
  }

  #onProgress(params: JsonObject, pending: PendingRequest | undefined) {
    const token = pending?.callerToken
    if (pending === undefined || token === undefined || params.progressToken !== pending.wireToken) {
      return this.#owner.dropped()
    }
    pending.lastActivityAt = this.#now()
    runHook(() => pending.hooks?.progress?.({ ...params, progressToken: token }))
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

  #passToOwner(method: string, params: JsonObject): void {
    // Many requesters share a 2026 upstream, so a notification that names no request belongs to none of them.
    if (this.perRequest) this.#owner.dropped()
    else this.#owner.notified(method, params)
  }

  /** One timer for all requests: a timer for each request would cost more than the rest of its bookkeeping. */
  #scheduleSilenceCheck(): void {
    const { clock, limits } = this.#owner
    this.#cancelSilenceCheck ??= clock.after(limits.silence / 4, () => {
      this.#cancelSilenceCheck = undefined
      const now = this.#now()
      for (const pending of this.pending.values()) {
        // An unsent request has limits of its own, and while the upstream waits for an answer, people's time limits
        // apply.
        if (!pending.sent || this.#isAsking(pending)) pending.lastActivityAt = now
        else if (pending.lastActivityAt <= now - limits.silence && !exemptFromSilence.has(pending.request.method)) {
          pending.lose('silent', `the upstream sent nothing about this request for ${limits.silence} ms`)
        }
      }
      if (this.pending.size > 0) this.#scheduleSilenceCheck()
    })
  }

  #isAsking(pending: PendingRequest): boolean {
    for (const ask of this.#asks.values()) if (ask.pending === pending) return true
    return false
  }

  #dropAsk(id: RpcId): void {
    const ask = this.#asks.get(id)
    this.#asks.delete(id)
    ask?.lease.release()
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

const listen = 'subscriptions/listen'
/** A subscription may stay silent for as long as nothing happens; a handshake has a time limit of its own. */
const exemptFromSilence = new Set([listen, 'initialize', 'server/discover'])

function refusal(reason: string, message: string): AskReply {
  return { error: { code: codes.refused, message, data: { status: 'cannot-ask', reason } } }
}

const unknownAsker = refusal('nobody', 'Several requests could have asked this question.')

/** What was answered, or that the question could not be asked. */
export async function replyOrError(ask: () => Promise<AskReply>): Promise<AskReply> {
  try {
    return await ask()
  } catch {
    return { error: { code: codes.internalError, message: 'The question could not be asked.' } }
  }
}

function runHook(hook: () => void): void {
  try {
    hook()
  } catch (error) {
    warnOf(error)
  }
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number'
}
