import type { JsonObject } from '../../../base/json.ts'
import { Conversation } from '../conversation.ts'
import { eraOfGreeting, greeting } from '../handshake.ts'
import type { Carrier, Flight } from '../pending-request.ts'
import type { Credential, EraReply, Lost, UpstreamEra, UpstreamReply, UpstreamRequest, Visitor } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { cancelled, writeRequest } from '../wire/write.ts'
import type { Exchange, HttpEnd, ResponseHeaders } from './exchange.ts'
import type { HttpWay } from './http-transport.ts'
import { judge } from './judge.ts'
import { resume } from './resume.ts'
import { UnaskedStream } from './standalone-stream.ts'

/** The end of a request whose session the upstream no longer knows: it has not run. */
export const sessionGone: Lost = {
  kind: 'lost',
  reason: 'broken',
  sent: false,
  detail: 'the upstream ended the session',
}

/** How long a session waits for its stream to open, in milliseconds: some servers are silent on it until they have something to say. */
const unaskedPatience = 1_000

/** What a session needs from its upstream. */
export interface SessionDesk {
  readonly way: HttpWay
  tell(visitor: Visitor, method: string, params: JsonObject): void
  dropped(): void
}

/** One 2025 session over HTTP, of one visitor. */
export class Session implements Carrier {
  readonly visitor: Visitor
  /** How its handshake ended. */
  readonly ready: Promise<EraReply>
  /** The upstream knows it no longer, or it never came to be. */
  isGone = false
  /** To be ended as soon as nothing is in flight. */
  isLeaving = false
  lastUsed: number
  readonly #desk: SessionDesk
  readonly #conversation: Conversation
  readonly #unasked: UnaskedStream
  #isOpen = false
  #isTaken = false
  #era: UpstreamEra | undefined
  #id: string | undefined
  #credential: Credential | undefined

  constructor(desk: SessionDesk, visitor: Visitor) {
    this.#desk = desk
    this.visitor = visitor
    this.#credential = visitor.credential
    this.lastUsed = desk.way.clock.now().getTime()
    this.#conversation = new Conversation({
      clock: desk.way.clock,
      limits: desk.way.surroundings.limits,
      say: (message, flight) => this.#post(message, flight?.request.credential, 3),
      tell: (method, params) => desk.tell(visitor, method, params),
      dropped: desk.dropped,
    })
    this.#unasked = new UnaskedStream(desk.way, {
      headers: () => this.headers(this.#credential),
      event: (data) => this.#conversation.hear(readMessage(data)),
      gone: () => {
        this.isGone = true
      },
    })
    this.ready = this.#greet()
  }

  get inFlight(): number {
    return this.#conversation.flights.size
  }

  /** Takes it into use for one request that may ask; `leave` gives it back. */
  enter(): boolean {
    if (this.#isTaken || this.#conversation.hasOrphans) return false
    this.#isTaken = true
    return true
  }

  leave(): void {
    this.#isTaken = false
  }

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    this.#credential = request.credential
    // On board before the handshake is over: what an upstream asks first is then already somebody's.
    const flight = this.#conversation.take(this, request)
    flight.watch()
    if (!this.#isOpen) {
      const greeted = await Promise.race([this.ready, flight.ended])
      if (greeted.kind !== 'found') flight.end(greeted)
    }
    if (flight.reply === undefined) this.#send(flight)
    return flight.ended
  }

  notify(method: string, params: JsonObject): void {
    if (this.#era !== undefined) this.#post({ jsonrpc: '2.0', method, params }, this.#credential, 1)
  }

  /** Ends it here and, where it is known there, there (H11-03). */
  async end(why = 'the session is closed'): Promise<void> {
    this.#unasked.close()
    this.#conversation.loseAll('closed', why)
    if (this.isGone || this.#id === undefined) return
    this.isGone = true
    await new Promise<void>((resolve) => {
      const exchange = this.#desk.way.send(
        { method: 'DELETE', headers: this.headers(this.#credential) },
        {
          event() {},
          ended: () => {
            callOff()
            resolve()
          },
        },
      )
      const callOff = this.#desk.way.clock.after(1_000, () => {
        exchange.abort()
        resolve()
      })
    })
  }

  headers(credential: Credential | undefined): string[] {
    const headers = this.#desk.way.headers(this.#era?.revision, credential)
    if (this.#id !== undefined) headers.push('mcp-session-id', this.#id)
    return headers
  }

  async #greet(): Promise<EraReply> {
    const { way } = this.#desk
    const { limits, self } = way.surroundings
    // X11-01: nobody's cancel ends a handshake, others may wait for it.
    const clock = new AbortController()
    const callOff = way.clock.after(limits.handshake, () => clock.abort())
    const params = greeting(this.visitor, self)
    const request = { ...this.visitor, method: 'initialize', params, signal: clock.signal }
    const flight = this.#conversation.take(this, request)
    flight.watch()
    this.#send(flight, (_, headers) => {
      const id = headers['mcp-session-id']
      if (typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id)) this.#id = id
    })
    const reply = await flight.ended
    callOff()
    const found = this.#found(reply)
    if (found.kind !== 'found') {
      this.isGone = true
      return found
    }
    this.#era = found.era
    await this.#posted({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.visitor.credential)
    await this.#openUnasked()
    this.#isOpen = true
    return found
  }

  /** Many servers ask on this stream, and lose what they ask before it is open. */
  #openUnasked(): Promise<void> {
    this.#unasked.open()
    return new Promise((resolve) => {
      const callOff = this.#desk.way.clock.after(unaskedPatience, resolve)
      void this.#unasked.settled.then(() => {
        callOff()
        resolve()
      })
    })
  }

  #found(reply: UpstreamReply): EraReply {
    if (reply.kind === 'lost') {
      const reason = reply.reason === 'cancelled' ? 'down' : reply.reason
      return { ...reply, reason, sent: false, detail: `handshake: ${reply.detail}` }
    }
    if (reply.kind !== 'result') return reply
    const era = eraOfGreeting(reply.result)
    if (era !== undefined) return { kind: 'found', era }
    const version = String(reply.result.protocolVersion).slice(0, 40)
    return { kind: 'lost', reason: 'unsupported', sent: false, detail: `it speaks protocol version ${version}` }
  }

  #send(flight: Flight, head?: (status: number, headers: ResponseHeaders) => void): void {
    const { way } = this.#desk
    const body = writeRequest(flight, false, way.surroundings.self)
    if (body === undefined) return
    flight.line = way.send(
      { method: 'POST', headers: this.headers(flight.request.credential), body },
      {
        ...(head !== undefined && { head }),
        started: () => {
          flight.sent = true
        },
        event: (data) => this.#conversation.hear(readMessage(data), flight),
        ended: (end, exchange) => this.#over(flight, end, exchange),
      },
    )
  }

  #over(flight: Flight, end: HttpEnd, exchange: Exchange) {
    if (flight.reply !== undefined) return this.#desk.way.lingering.remove(exchange)
    if (end.kind === 'answer') {
      if (this.#id !== undefined && flight.request.method !== 'initialize' && isSessionGone(end)) {
        this.isGone = true
        return flight.end(sessionGone)
      }
      if (end.status < 300) this.#conversation.hear(readMessage(end.text), flight)
    }
    if (flight.reply !== undefined) return
    if (end.kind === 'events-over' && exchange.lastEventId !== undefined) return this.#resume(flight, exchange)
    flight.end(judge(end, flight.sent))
  }

  #resume(flight: Flight, broken: Exchange): void {
    flight.line = resume(this.#desk.way, broken, {
      headers: () => this.headers(flight.request.credential),
      event: (data) => this.#conversation.hear(readMessage(data), flight),
      failed: (detail) => flight.lose('broken', detail, true),
    })
  }

  landed(flight: Flight): void {
    const { request } = flight
    if (flight.isTakenBack && request.method !== 'initialize') this.#post(cancelled(flight), request.credential, 1)
    flight.line?.leave(flight.reply?.kind !== 'lost')
    this.#conversation.leave(flight)
    this.lastUsed = this.#desk.way.clock.now().getTime()
    if (this.isLeaving && this.inFlight === 0) void this.end()
  }

  #post(message: JsonObject, credential: Credential | undefined, tries: number): void {
    void this.#posted(message, credential).then((end) => {
      // The upstream waits for an answer that was given, and one that comes twice does no harm.
      const failed = end.kind === 'failed' || (end.kind === 'answer' && end.status >= 500)
      if (failed && tries > 1 && !this.isGone) {
        this.#desk.way.clock.after(200, () => this.#post(message, credential, tries - 1))
      }
    })
  }

  #posted(message: JsonObject, credential: Credential | undefined): Promise<HttpEnd> {
    return new Promise((resolve) => {
      this.#desk.way.send(
        { method: 'POST', headers: this.headers(credential), body: JSON.stringify(message) },
        { event() {}, ended: resolve },
      )
    })
  }
}

// 404 is what the protocol says (H11-02); many servers made after the SDK's first examples say 400 and name the session.
function isSessionGone({ status, text }: Extract<HttpEnd, { kind: 'answer' }>): boolean {
  if (status === 404) return true
  if (status !== 400) return false
  const message = readMessage(text)
  return message?.kind === 'response' && message.error?.code === -32000 && /session/i.test(message.error.message)
}
