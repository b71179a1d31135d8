import type { Clock } from '../../base/clock.ts'
import { Roll } from '../../base/compact-map.ts'
import type { JsonObject } from '../../base/json.ts'
import { refusalCode } from '../../mcp/refusal.ts'
import type { UpstreamLimits } from './options.ts'
import { type Carrier, Flight } from './pending-request.ts'
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
export interface ConversationDesk {
  readonly clock: Clock
  readonly limits: UpstreamLimits
  /** Says something to the upstream; `flight` is the request it belongs to, if any. */
  say(message: JsonObject, flight?: Flight): void
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
  readonly flights = new Roll<RpcId, Flight>()
  readonly #desk: ConversationDesk
  readonly #asks = new Map<RpcId, { controller: AbortController; flight: Flight; isAnyones: boolean }>()
  readonly #orphans = new Map<RpcId, number>()
  readonly #mayPass: () => boolean
  #lastId = 0
  #callOffSilence: (() => void) | undefined

  constructor(desk: ConversationDesk) {
    this.#desk = desk
    this.#mayPass = floodGate(desk.limits.notificationsPerSecond, desk.clock)
  }

  /** Takes a request on board. Its id is one that no other has. */
  take(carrier: Carrier, request: UpstreamRequest): Flight {
    const flight = new Flight(carrier, request, this.#freeId())
    flight.heardAt = this.#now()
    this.flights.set(flight.id, flight)
    this.#listenForSilence()
    return flight
  }

  /** Lets an ended request go; what the upstream still asks for it is no longer wanted. */
  leave(flight: Flight): void {
    this.flights.delete(flight.id)
    if (flight.sent && flight.reply?.kind === 'lost' && flight.hooks?.asked !== undefined && !this.perRequest) {
      this.#orphans.set(flight.id, this.#now() + orphanTime)
    }
    if (this.#asks.size === 0) return
    for (const [id, ask] of this.#asks) {
      if (ask.flight !== flight) continue
      // What came on no request's stream may be another's question, which is still wanted.
      const other = ask.isAnyones ? this.#onlyAsker() : undefined
      if (other === undefined) this.#dropAsk(id)
      else ask.flight = other
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
  loseAll(...why: Parameters<Flight['lose']>): void {
    this.#callOffSilence?.()
    this.#callOffSilence = undefined
    for (const flight of this.flights.values()) flight.lose(...why)
    for (const id of [...this.#asks.keys()]) this.#dropAsk(id)
  }

  /** `stream` is the request on whose own stream the message came. */
  hear(message: Message | undefined, stream?: Flight) {
    if (message === undefined) return this.#desk.dropped()
    if (stream !== undefined) stream.heardAt = this.#now()
    switch (message.kind) {
      case 'response':
        return this.#answered(message, stream)
      case 'request':
        return this.#asked(message, stream)
      case 'notification':
        return this.#mayPass() ? this.#told(message, stream) : this.#desk.dropped()
    }
  }

  #answered({ id, result, error }: ResponseMessage, stream: Flight | undefined): void {
    const flight = id === null || stream?.id === id ? stream : this.flights.get(id)
    if (flight === undefined || flight.reply !== undefined || (stream !== undefined && flight !== stream)) {
      if (id === null || !this.#orphans.delete(id)) this.#desk.dropped()
      return
    }
    if (error !== undefined) flight.end({ kind: 'error', error })
    else if (result !== undefined) flight.end({ kind: 'result', result })
  }

  #asked({ id, method, params }: RequestMessage, stream: Flight | undefined) {
    // T26-02: a 2026 server must not ask so, and a client must not answer.
    if (this.perRequest || this.#asks.has(id)) return this.#desk.dropped()
    const answer = (reply: AskReply, flight?: Flight) =>
      this.#desk.say({ jsonrpc: '2.0', id, ...reply } as never, flight)
    if (!this.#mayPass()) return this.#desk.dropped()
    if (method === 'ping') return answer({ result: {} }, stream)
    if (!askable.has(method)) return answer({ error: { code: -32601, message: 'Method not found' } }, stream)

    const flight = stream ?? this.#onlyAsker()
    if (flight === undefined) return answer(refusal('nobody', 'Nothing tells whose question this is.'))
    const hook = flight.hooks?.asked
    if (hook === undefined) return answer({ error: { code: -32601, message: 'Nobody can be asked here.' } }, flight)
    if (this.#asks.size >= this.#desk.limits.openAsks) {
      return answer(refusal('too-many', 'Too many questions are open.'), flight)
    }
    const ask = { controller: new AbortController(), flight, isAnyones: stream === undefined }
    this.#asks.set(id, ask)
    void settled(() => hook.call(flight.hooks, method, params, ask.controller.signal)).then((reply) => {
      if (this.#asks.get(id) !== ask) return
      this.#asks.delete(id)
      flight.heardAt = this.#now()
      answer(reply, flight)
    })
  }

  #onlyAsker(): Flight | undefined {
    if (this.hasOrphans) return undefined
    let only: Flight | undefined
    for (const flight of this.flights.values()) {
      if (flight.hooks?.asked === undefined) continue
      if (only === undefined) only = flight
      // All of one 2025 client's: whichever it belongs to, that client is the one to ask.
      else if (only.request.exclusive !== false || flight.request.exclusive !== false) return undefined
    }
    return only
  }

  #told({ method, params }: NotificationMessage, stream: Flight | undefined) {
    switch (method) {
      case 'notifications/progress':
        return this.#progressed(params, stream ?? this.#byToken(params.progressToken))
      case 'notifications/cancelled':
        return isId(params.requestId) ? this.#dropAsk(params.requestId) : undefined
      case 'notifications/message': {
        const flight = stream ?? (this.flights.size === 1 ? this.flights.values()[0] : undefined)
        if (flight?.hooks?.log !== undefined) return quietly(() => flight.hooks?.log?.(params))
        return this.#unasked(method, params)
      }
      case 'notifications/elicitation/complete': {
        const id = params.elicitationId
        const flights = stream === undefined ? this.flights.values() : [stream]
        if (typeof id === 'string') for (const { hooks } of flights) quietly(() => hooks?.completed?.(id))
        return this.#unasked(method, params)
      }
      default: {
        const flight = stream ?? this.#bySubscription(params)
        if (flight?.hooks?.news !== undefined) return quietly(() => flight.hooks?.news?.(method, params))
        return this.#unasked(method, params)
      }
    }
  }

  #progressed(params: JsonObject, flight: Flight | undefined) {
    const token = flight?.callerToken
    if (flight === undefined || token === undefined || params.progressToken !== flight.wireToken) {
      return this.#desk.dropped()
    }
    flight.heardAt = this.#now()
    quietly(() => flight.hooks?.progress?.({ ...params, progressToken: token }))
  }

  #byToken(token: unknown): Flight | undefined {
    if (!isId(token)) return undefined
    const flight = this.flights.get(token)
    if (flight?.wireToken === token) return flight
    return this.flights.values().find(({ wireToken }) => wireToken === token)
  }

  #bySubscription({ _meta }: JsonObject): Flight | undefined {
    const id = isObject(_meta) ? _meta[subscriptionKey] : undefined
    return isId(id) ? this.flights.get(id) : undefined
  }

  #unasked(method: string, params: JsonObject): void {
    // Many requesters share a 2026 upstream: what names no request is nobody's.
    if (this.perRequest) this.#desk.dropped()
    else this.#desk.tell(method, params)
  }

  /** One timer for all flights: one for each would cost more than the rest of its watching. */
  #listenForSilence(): void {
    const { clock, limits } = this.#desk
    this.#callOffSilence ??= clock.after(limits.silence / 4, () => {
      this.#callOffSilence = undefined
      const now = this.#now()
      for (const flight of this.flights.values()) {
        // Until it is sent, other limits hold, and while it asks, those of people.
        if (!flight.sent || this.#isAsking(flight)) flight.heardAt = now
        else if (flight.heardAt <= now - limits.silence && !withoutClock.has(flight.request.method)) {
          flight.lose('silent', `nothing was heard of it for ${limits.silence} ms`)
        }
      }
      if (this.flights.size > 0) this.#listenForSilence()
    })
  }

  #isAsking(flight: Flight): boolean {
    for (const ask of this.#asks.values()) if (ask.flight === flight) return true
    return false
  }

  #dropAsk(id: RpcId): void {
    const ask = this.#asks.get(id)
    this.#asks.delete(id)
    ask?.controller.abort()
  }

  #freeId(): RpcId {
    do this.#lastId += 1
    while (this.flights.has(this.#lastId) || this.#orphans.has(this.#lastId))
    return this.#lastId
  }

  #now(): number {
    return this.#desk.clock.now().getTime()
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
