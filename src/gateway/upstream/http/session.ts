import type { JsonObject } from '../../../base/json.ts'
import { Conversation } from '../conversation.ts'
import { eraOfInitialize, initializeParams } from '../handshake.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type {
  Credential,
  DownstreamClient,
  EraReply,
  Lost,
  UpstreamEra,
  UpstreamReply,
  UpstreamRequest,
} from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { cancelled, writeRequest } from '../wire/write.ts'
import type { Exchange, HttpEnd, ResponseHeaders } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'
import { judge } from './judge.ts'
import { resume } from './resume.ts'
import { StandaloneStream } from './standalone-stream.ts'

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
export interface SessionOwner {
  readonly transport: HttpTransport
  tell(client: DownstreamClient, method: string, params: JsonObject): void
  dropped(): void
}

/** One 2025 session over HTTP, of one visitor. */
export class Session implements PendingOwner {
  readonly client: DownstreamClient
  /** How its handshake ended. */
  readonly ready: Promise<EraReply>
  /** The upstream knows it no longer, or it never came to be. */
  isGone = false
  /** To be ended as soon as nothing is in flight. */
  isLeaving = false
  lastUsed: number
  readonly #owner: SessionOwner
  readonly #conversation: Conversation
  readonly #standalone: StandaloneStream
  #isOpen = false
  #isTaken = false
  #era: UpstreamEra | undefined
  #id: string | undefined
  #credential: Credential | undefined

  constructor(owner: SessionOwner, client: DownstreamClient) {
    this.#owner = owner
    this.client = client
    this.#credential = client.credential
    this.lastUsed = owner.transport.clock.now().getTime()
    this.#conversation = new Conversation({
      clock: owner.transport.clock,
      limits: owner.transport.context.limits,
      say: (message, pending) => this.#post(message, pending?.request.credential, 3),
      tell: (method, params) => owner.tell(client, method, params),
      dropped: owner.dropped,
    })
    this.#standalone = new StandaloneStream(owner.transport, {
      headers: () => this.headers(this.#credential),
      event: (data) => this.#conversation.hear(readMessage(data)),
      gone: () => {
        this.isGone = true
      },
    })
    this.ready = this.#initialize()
  }

  get inFlight(): number {
    return this.#conversation.pending.size
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
    const pending = this.#conversation.take(this, request)
    pending.watch()
    if (!this.#isOpen) {
      const greeted = await Promise.race([this.ready, pending.ended])
      if (greeted.kind !== 'found') pending.end(greeted)
    }
    if (pending.reply === undefined) this.#send(pending)
    return pending.ended
  }

  notify(method: string, params: JsonObject): void {
    if (this.#era !== undefined) this.#post({ jsonrpc: '2.0', method, params }, this.#credential, 1)
  }

  /** Ends it here and, where it is known there, there (H11-03). */
  async end(why = 'the session is closed'): Promise<void> {
    this.#standalone.close()
    this.#conversation.loseAll('closed', why)
    if (this.isGone || this.#id === undefined) return
    this.isGone = true
    await new Promise<void>((resolve) => {
      const exchange = this.#owner.transport.send(
        { method: 'DELETE', headers: this.headers(this.#credential) },
        {
          event() {},
          ended: () => {
            callOff()
            resolve()
          },
        },
      )
      const callOff = this.#owner.transport.clock.after(1_000, () => {
        exchange.abort()
        resolve()
      })
    })
  }

  headers(credential: Credential | undefined): string[] {
    const headers = this.#owner.transport.headers(this.#era?.revision, credential)
    if (this.#id !== undefined) headers.push('mcp-session-id', this.#id)
    return headers
  }

  async #initialize(): Promise<EraReply> {
    const { transport } = this.#owner
    const { limits, self } = transport.context
    // X11-01: nobody's cancel ends a handshake, others may wait for it.
    const clock = new AbortController()
    const callOff = transport.clock.after(limits.handshake, () => clock.abort())
    const params = initializeParams(this.client, self)
    const request = { ...this.client, method: 'initialize', params, signal: clock.signal }
    const pending = this.#conversation.take(this, request)
    pending.watch()
    this.#send(pending, (_, headers) => {
      const id = headers['mcp-session-id']
      if (typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id)) this.#id = id
    })
    const reply = await pending.ended
    callOff()
    const found = this.#found(reply)
    if (found.kind !== 'found') {
      this.isGone = true
      return found
    }
    this.#era = found.era
    await this.#posted({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.client.credential)
    await this.#openStandalone()
    this.#isOpen = true
    return found
  }

  /** Many servers ask on this stream, and lose what they ask before it is open. */
  #openStandalone(): Promise<void> {
    this.#standalone.open()
    return new Promise((resolve) => {
      const callOff = this.#owner.transport.clock.after(unaskedPatience, resolve)
      void this.#standalone.settled.then(() => {
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
    const era = eraOfInitialize(reply.result)
    if (era !== undefined) return { kind: 'found', era }
    const version = String(reply.result.protocolVersion).slice(0, 40)
    return { kind: 'lost', reason: 'unsupported', sent: false, detail: `it speaks protocol version ${version}` }
  }

  #send(pending: PendingRequest, head?: (status: number, headers: ResponseHeaders) => void): void {
    const { transport } = this.#owner
    const body = writeRequest(pending, false, transport.context.self)
    if (body === undefined) return
    pending.stream = transport.send(
      { method: 'POST', headers: this.headers(pending.request.credential), body },
      {
        ...(head !== undefined && { head }),
        started: () => {
          pending.sent = true
        },
        event: (data) => this.#conversation.hear(readMessage(data), pending),
        ended: (end, exchange) => this.#over(pending, end, exchange),
      },
    )
  }

  #over(pending: PendingRequest, end: HttpEnd, exchange: Exchange) {
    if (pending.reply !== undefined) return this.#owner.transport.lingering.remove(exchange)
    if (end.kind === 'answer') {
      if (this.#id !== undefined && pending.request.method !== 'initialize' && isSessionGone(end)) {
        this.isGone = true
        return pending.end(sessionGone)
      }
      if (end.status < 300) this.#conversation.hear(readMessage(end.text), pending)
    }
    if (pending.reply !== undefined) return
    if (end.kind === 'events-over' && exchange.lastEventId !== undefined) return this.#resume(pending, exchange)
    pending.end(judge(end, pending.sent))
  }

  #resume(pending: PendingRequest, broken: Exchange): void {
    pending.stream = resume(this.#owner.transport, broken, {
      headers: () => this.headers(pending.request.credential),
      event: (data) => this.#conversation.hear(readMessage(data), pending),
      failed: (detail) => pending.lose('broken', detail, true),
    })
  }

  ended(pending: PendingRequest): void {
    const { request } = pending
    if (pending.isTakenBack && request.method !== 'initialize') this.#post(cancelled(pending), request.credential, 1)
    pending.stream?.leave(pending.reply?.kind !== 'lost')
    this.#conversation.leave(pending)
    this.lastUsed = this.#owner.transport.clock.now().getTime()
    if (this.isLeaving && this.inFlight === 0) void this.end()
  }

  #post(message: JsonObject, credential: Credential | undefined, tries: number): void {
    void this.#posted(message, credential).then((end) => {
      // The upstream waits for an answer that was given, and one that comes twice does no harm.
      const failed = end.kind === 'failed' || (end.kind === 'answer' && end.status >= 500)
      if (failed && tries > 1 && !this.isGone) {
        this.#owner.transport.clock.after(200, () => this.#post(message, credential, tries - 1))
      }
    })
  }

  #posted(message: JsonObject, credential: Credential | undefined): Promise<HttpEnd> {
    return new Promise((resolve) => {
      this.#owner.transport.send(
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
