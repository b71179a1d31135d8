import type { JsonObject } from '../../../base/json.ts'
import { Conversation } from '../conversation.ts'
import { eraOfInitialize, initializeParams, isPerRequestError } from '../handshake.ts'
import type { UpstreamContext } from '../options.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type { DownstreamClient, EraReply, Lost, UpstreamEra, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { readMessage } from '../wire/message.ts'
import { eraOfDiscovery } from '../wire/per-request.ts'
import { cancelled, writeRequest } from '../wire/write.ts'
import { Child, type Program } from './child.ts'
import type { Occupant } from './process-slots.ts'

/** How a new process is met: asked what it speaks, greeted as a 2025 server, or taken for what was found before. */
export type Meeting = 'probe' | 'initialize' | UpstreamEra

/** Nobody takes these back. */
const handshakes = new Set(['initialize', 'server/discover'])

/** What a process needs from its upstream. */
export interface WorkerOwner {
  readonly context: UpstreamContext
  tell(client: DownstreamClient, method: string, params: JsonObject): void
  dropped(): void
  complained(line: string): void
  /** Somebody may use it, or its place, now. */
  freed(worker: Worker): void
  exited(worker: Worker, detail: string): void
}

/** One process of an upstream. */
export class Worker implements Occupant, PendingOwner {
  /** Who may use it. */
  key: string
  readonly client: DownstreamClient
  readonly ready: Promise<EraReply>
  era: UpstreamEra | undefined
  /** It is told to end, and nobody else is to use it. */
  isEnding = false
  isLeaving = false
  isGone = false
  readonly #owner: WorkerOwner
  readonly #conversation: Conversation
  readonly #child: Child
  #users = 0
  #isExclusive = false
  #lastUsed: number

  constructor(owner: WorkerOwner, program: Program, client: DownstreamClient, key: string, meeting: Meeting) {
    this.#owner = owner
    this.key = key
    this.client = client
    this.#lastUsed = this.#now()
    const { clock, limits } = owner.context
    this.#conversation = new Conversation({
      clock,
      limits,
      say: (message) => void this.#child.write(JSON.stringify(message)),
      tell: (method, params) => owner.tell(client, method, params),
      dropped: owner.dropped,
    })
    this.#child = new Child(program, limits.messageBytes, {
      line: (text) => this.#conversation.hear(readMessage(text)),
      tooLong: (head, tail) => this.#tooLong(head, tail),
      complained: owner.complained,
      exited: (detail) => this.#exited(detail),
    })
    this.ready = this.#meet(meeting)
  }

  get inFlight(): number {
    return this.#conversation.pending.size
  }

  idleSince(): number | undefined {
    return this.#users === 0 && !this.isEnding ? this.#lastUsed : undefined
  }

  evict(): void {
    void this.end()
  }

  /** Takes it into use if that is possible; `leave` gives it back. */
  enter(exclusive: boolean): boolean {
    if (this.isEnding || this.isLeaving || this.#isExclusive) return false
    if (exclusive && (this.#users > 0 || this.#conversation.hasOrphans)) return false
    this.#users += 1
    this.#isExclusive = exclusive
    return true
  }

  leave(): void {
    this.#users -= 1
    this.#isExclusive = false
    this.#lastUsed = this.#now()
    if (this.isLeaving && this.#users === 0) void this.end()
    this.#owner.freed(this)
  }

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    // On board before the handshake is over: what an upstream asks first is then already somebody's.
    const pending = this.#conversation.take(this, request)
    pending.watch()
    if (this.era === undefined) {
      const met = await Promise.race([this.ready, pending.ended])
      if (met.kind !== 'found') pending.end(met)
    }
    if (pending.reply === undefined) this.#write(pending, this.era?.perRequest === true)
    return pending.ended
  }

  notify(method: string, params: JsonObject): void {
    if (this.era?.perRequest === false) this.#child.write(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  async end(): Promise<void> {
    this.isEnding = true
    this.#conversation.loseAll('closed', 'the process is ended')
    await this.#child.end(this.#owner.context.limits.farewell)
  }

  async #meet(meeting: Meeting): Promise<EraReply> {
    // Not in the constructor's own turn: the upstream has to know the worker first.
    await undefined
    const met = await this.#met(meeting)
    if (met.kind !== 'found') return met
    this.era = met.era
    this.#conversation.perRequest = met.era.perRequest
    return met
  }

  async #met(meeting: Meeting): Promise<EraReply> {
    if (meeting === 'initialize') return this.#initialize()
    if (meeting !== 'probe') return meeting.perRequest ? { kind: 'found', era: meeting } : this.#initialize()
    const reply = await this.#handshake('server/discover', {}, true, this.#owner.context.limits.probe)
    if (reply.kind === 'lost') return reply.reason === 'cancelled' ? this.#initialize() : { ...reply, sent: false }
    if (reply.kind === 'error' && isPerRequestError(reply.error)) return reply
    const era = reply.kind === 'result' ? eraOfDiscovery(reply.result) : undefined
    return era === undefined ? this.#initialize() : { kind: 'found', era }
  }

  async #initialize(): Promise<EraReply> {
    const { limits, self } = this.#owner.context
    const reply = await this.#handshake('initialize', initializeParams(this.client, self), false, limits.handshake)
    if (reply.kind === 'lost') {
      const reason = reply.reason === 'cancelled' ? 'down' : reply.reason
      return { ...reply, reason, sent: false, detail: `handshake: ${reply.detail}` }
    }
    if (reply.kind !== 'result') return reply
    const era = eraOfInitialize(reply.result)
    if (era === undefined) return unsupported(reply.result.protocolVersion)
    this.#child.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return { kind: 'found', era }
  }

  async #handshake(method: string, params: JsonObject, perRequest: boolean, ms: number): Promise<UpstreamReply> {
    const silence = new AbortController()
    const callOff = this.#owner.context.clock.after(ms, () => silence.abort())
    const pending = this.#conversation.take(this, { ...this.client, method, params, signal: silence.signal })
    pending.watch()
    this.#write(pending, perRequest)
    const reply = await pending.ended
    callOff()
    return reply
  }

  ended(pending: PendingRequest): void {
    const { method } = pending.request
    if (pending.isTakenBack && !handshakes.has(method)) this.#child.write(JSON.stringify(cancelled(pending)))
    this.#conversation.leave(pending)
  }

  #write(pending: PendingRequest, perRequest: boolean) {
    const line = writeRequest(pending, perRequest, this.#owner.context.self)
    if (line === undefined) return
    if (this.isGone) return pending.lose('down', 'the process has ended', false)
    if (!this.#child.write(line)) return pending.lose('busy', 'the process does not read what it is sent', false)
    pending.sent = true
  }

  /** Whose answer it was is written at its beginning or at its end; where it is not, it may be anybody's. */
  #tooLong(head: string, tail: string): void {
    this.#owner.dropped()
    const [, id] = /^\{"jsonrpc":"2\.0","id":(\d+)[,}]/.exec(head) ?? /"id":(\d+)\}\s*$/.exec(tail) ?? []
    const pending = id === undefined ? undefined : this.#conversation.pending.get(Number(id))
    if (pending !== undefined) pending.lose('too-long', 'the answer is longer than the limit')
    else if (!/^\{[^{]*"method":/.test(head))
      this.#conversation.loseAll('too-long', 'an answer is longer than the limit')
  }

  #exited(detail: string): void {
    this.isGone = true
    this.#conversation.loseAll('broken', `the process ${detail}`)
    this.#owner.exited(this, detail)
    this.isEnding = true
  }

  #now(): number {
    return this.#owner.context.clock.now().getTime()
  }
}

function unsupported(version: unknown): Lost {
  const detail = `it speaks protocol version ${String(version).slice(0, 40)}`
  return { kind: 'lost', reason: 'unsupported', sent: false, detail }
}
