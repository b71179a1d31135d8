import { type JsonObject, writeJson } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import { codes } from '../../../mcp/codes.ts'
import { Conversation } from '../conversation.ts'
import { eraOfInitialize, initializeParams, tooLargeHandshake } from '../handshake.ts'
import type { ResumableSession, UpstreamLimits } from '../options.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type {
  DownstreamClient,
  EraReply,
  Lost,
  UpstreamCredential,
  UpstreamEra,
  UpstreamReply,
  UpstreamRequest,
} from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { cancelNotice, writeRequest } from '../wire/write.ts'
import type { Exchange, HttpOutcome, ResponseHeaders } from './exchange.ts'
import type { HttpTransport } from './http-transport.ts'
import { replyFromOutcome } from './reply-from-outcome.ts'
import { resumeStream } from './resume-stream.ts'
import { StandaloneStream } from './standalone-stream.ts'

/** The reply to a request whose session the upstream does not know any more. The request has not run. */
export const sessionGone: Lost = {
  kind: 'lost',
  reason: 'broken',
  sent: false,
  detail: 'the upstream ended the session',
}

/**
 * How long a session waits for its standalone stream, in milliseconds: some servers send no headers before the first
 * event.
 */
const standaloneStreamMs = 1_000

/** The upstream that a session belongs to. */
export interface SessionOwner {
  readonly transport: HttpTransport
  /** The upstream sent a notification that belongs to no request. */
  notified(client: DownstreamClient, method: string, params: JsonObject): void
  dropped(): void
  /** The handshake is done. Without an id: the upstream has no sessions. */
  opened?(session: ResumableSession | undefined): Promise<void>
}

/** One 2025 session over HTTP, of one client. */
export class UpstreamSession implements PendingOwner {
  readonly client: DownstreamClient
  /** How its handshake ended. */
  readonly ready: Promise<EraReply>
  /** The upstream ended the session, or its handshake failed. */
  isGone = false
  /** The session is to be ended as soon as nothing is in flight on it. */
  isRetiring = false
  lastUsed: number
  readonly #owner: SessionOwner
  readonly #conversation: Conversation
  readonly #standaloneStream: StandaloneStream
  #isOpen = false
  #isAcquired = false
  #era: UpstreamEra | undefined
  #id: string | undefined
  #credential: UpstreamCredential | undefined

  /** With `left`, goes on with a session that another instance has left. */
  constructor(owner: SessionOwner, client: DownstreamClient, left?: ResumableSession) {
    this.#owner = owner
    this.client = client
    this.#credential = client.credential
    this.lastUsed = owner.transport.clock.now().getTime()
    this.#conversation = new Conversation({
      clock: owner.transport.clock,
      limits: owner.transport.context.limits,
      lastId: left?.lastId,
      reserve: owner.transport.reserve,
      send: (message, pending) => this.#post(message, pending?.request.credential, 3),
      notified: (method, params) => owner.notified(client, method, params),
      dropped: owner.dropped,
      tooManyValues() {},
    })
    this.#standaloneStream = new StandaloneStream(owner.transport, {
      headers: () => this.headers(this.#credential),
      event: (data) => this.#conversation.receive(data),
      sessionGone: () => {
        this.isGone = true
      },
    })
    this.ready = left === undefined ? this.#initialize() : this.#resumeSession(left)
  }

  get inFlight(): number {
    return this.#conversation.pending.size
  }

  /** Reserves the session for one request that may ask. False if it is reserved already. */
  acquire(): boolean {
    if (this.#isAcquired || this.#conversation.hasOrphans) return false
    this.#isAcquired = true
    return true
  }

  release(): void {
    this.#isAcquired = false
  }

  request(request: UpstreamRequest): Promise<UpstreamReply> {
    this.#credential = request.credential
    // Registered before the handshake ends, so that an early question of the upstream finds the request it belongs to.
    const pending = this.#conversation.register(this, request)
    pending.watchSignal()
    if (!this.#isOpen) return this.#requestWhenOpen(pending)
    if (pending.reply === undefined) this.#send(pending)
    return pending.ended
  }

  async #requestWhenOpen(pending: PendingRequest): Promise<UpstreamReply> {
    const handshake = await Promise.race([this.ready, pending.ended])
    if (handshake.kind !== 'found') pending.end(handshake)
    await pending.lookAgain()
    if (pending.reply === undefined) this.#send(pending)
    return pending.ended
  }

  notify(method: string, params: JsonObject): void {
    if (this.#era !== undefined) this.#post({ jsonrpc: '2.0', method, params }, this.#credential, 1)
  }

  /** Ends the session here and, if the upstream still has it and nobody goes on with it, at the upstream (H11-03). */
  async end(detail = 'the session is closed', isLeft = false): Promise<void> {
    this.#standaloneStream.close()
    this.#conversation.loseAll('closed', detail)
    if (this.isGone || this.#id === undefined || isLeft) return
    this.isGone = true
    await new Promise<void>((resolve) => {
      const exchange = this.#owner.transport.send(
        { method: 'DELETE', headers: this.headers(this.#credential) },
        {
          event() {},
          ended: () => {
            cancelTimer()
            resolve()
          },
        },
      )
      const cancelTimer = this.#owner.transport.clock.after(1_000, () => {
        exchange.abort()
        resolve()
      })
    })
  }

  headers(credential: UpstreamCredential | undefined): string[] {
    const headers = this.#owner.transport.headers(this.#era?.revision, credential)
    if (this.#id !== undefined) headers.push('mcp-session-id', this.#id)
    return headers
  }

  async #initialize(): Promise<EraReply> {
    const { transport } = this.#owner
    const { limits, self } = transport.context
    // X11-01: a caller's cancellation does not end the handshake, because other callers may wait for it.
    const timeout = new AbortController()
    const cancelTimer = transport.clock.after(limits.handshake, () => timeout.abort())
    const params = initializeParams(this.client, self)
    const request = { ...this.client, method: 'initialize', params, signal: timeout.signal }
    const pending = this.#conversation.register(this, request)
    pending.watchSignal()
    this.#send(pending, (_, headers) => {
      const id = headers['mcp-session-id']
      if (typeof id === 'string' && /^[\x21-\x7e]{1,1024}$/.test(id)) this.#id = id
    })
    const reply = await pending.ended
    cancelTimer()
    const found = this.#eraFromReply(reply)
    if (found.kind !== 'found') {
      this.isGone = true
      return found
    }
    this.#era = found.era
    await this.#postOnce({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.client.credential)
    await this.#openStandalone()
    await this.#owner.opened?.(this.#id === undefined ? undefined : { id: this.#id, era: found.era })
    this.#isOpen = true
    return found
  }

  async #resumeSession({ id, era }: ResumableSession): Promise<EraReply> {
    this.#id = id
    this.#era = era
    await this.#openStandalone()
    this.#isOpen = true
    return { kind: 'found', era }
  }

  /** Many servers ask on this stream, and their questions are lost while it is not open. */
  #openStandalone(): Promise<void> {
    this.#standaloneStream.open()
    return new Promise((resolve) => {
      const cancelTimer = this.#owner.transport.clock.after(standaloneStreamMs, resolve)
      const settled = this.#standaloneStream.settled.then(() => {
        cancelTimer()
        resolve()
      })
      inBackground(settled)
    })
  }

  #eraFromReply(reply: UpstreamReply): EraReply {
    if (reply.kind === 'lost') {
      const reason = reply.reason === 'cancelled' ? 'down' : reply.reason
      return { ...reply, reason, sent: false, detail: `handshake: ${reply.detail}` }
    }
    if (reply.kind !== 'result') return reply
    const tooLarge = tooLargeHandshake(reply, this.#owner.transport.context.limits)
    if (tooLarge !== undefined) return tooLarge
    const era = eraOfInitialize(reply.result)
    if (era !== undefined) return { kind: 'found', era }
    const version = String(reply.result.protocolVersion).slice(0, 40)
    return {
      kind: 'lost',
      reason: 'unsupported',
      sent: false,
      detail: `the upstream chose protocol version ${version}`,
    }
  }

  #send(pending: PendingRequest, head?: (status: number, headers: ResponseHeaders) => void): void {
    const { transport } = this.#owner
    const body = writeRequest(pending, false, transport.context.self)
    if (body === undefined) return
    const { credential, traceHeaders } = pending.request
    const headers = this.headers(credential)
    if (traceHeaders !== undefined) for (const key in traceHeaders) headers.push(key, traceHeaders[key] ?? '')
    pending.stream = transport.send(
      { method: 'POST', headers, body },
      {
        ...(head !== undefined && { head }),
        started: () => {
          pending.sent = true
        },
        event: (data) => this.#conversation.receive(data, pending),
        ended: (outcome, exchange) => this.#onEnd(pending, outcome, exchange),
      },
    )
  }

  #onEnd(pending: PendingRequest, outcome: HttpOutcome, exchange: Exchange) {
    if (pending.reply !== undefined) return this.#owner.transport.draining.remove(exchange)
    if (outcome.kind === 'response') {
      if (
        this.#id !== undefined &&
        pending.request.method !== 'initialize' &&
        isSessionGone(outcome, this.#owner.transport.context.limits)
      ) {
        this.isGone = true
        return pending.end(sessionGone)
      }
      if (outcome.status < 300) this.#conversation.receive(outcome.text, pending)
    }
    if (pending.reply !== undefined) return
    if (outcome.kind === 'stream-ended' && exchange.lastEventId !== undefined) return this.#resume(pending, exchange)
    pending.end(replyFromOutcome(outcome, pending.sent, this.#owner.transport.context.limits))
  }

  #resume(pending: PendingRequest, broken: Exchange): void {
    pending.stream = resumeStream(this.#owner.transport, broken, {
      headers: () => this.headers(pending.request.credential),
      event: (data) => this.#conversation.receive(data, pending),
      failed: (detail) => pending.lose('broken', detail, true),
    })
  }

  ended(pending: PendingRequest): void {
    const { request } = pending
    if (pending.needsCancelNotice && request.method !== 'initialize')
      this.#post(cancelNotice(pending), request.credential, 1)
    pending.stream?.release(pending.reply?.kind !== 'lost')
    this.#conversation.unregister(pending)
    this.lastUsed = this.#owner.transport.clock.now().getTime()
    if (this.isRetiring && this.inFlight === 0) inBackground(this.end())
  }

  #post(message: JsonObject, credential: UpstreamCredential | undefined, tries: number): void {
    const posting = this.#postOnce(message, credential).then((outcome) => {
      // The upstream waits for this answer, and an answer that arrives twice does no harm.
      const failed = outcome.kind === 'failed' || (outcome.kind === 'response' && outcome.status >= 500)
      if (failed && tries > 1 && !this.isGone) {
        this.#owner.transport.clock.after(200, () => this.#post(message, credential, tries - 1))
      }
    })
    inBackground(posting)
  }

  #postOnce(message: JsonObject, credential: UpstreamCredential | undefined): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      this.#owner.transport.send(
        { method: 'POST', headers: this.headers(credential), body: writeJson(message) },
        { event() {}, ended: resolve },
      )
    })
  }
}

// The protocol says 404 (H11-02). Many servers built on the SDK's first examples answer 400 with a message about the
// session.
function isSessionGone(
  { status, text }: Extract<HttpOutcome, { kind: 'response' }>,
  { messageValues }: UpstreamLimits,
): boolean {
  if (status === 404) return true
  if (status !== 400) return false
  const message = readMessage(text, messageValues)
  return (
    message?.kind === 'response' && message.error?.code === codes.serverError && /session/i.test(message.error.message)
  )
}
