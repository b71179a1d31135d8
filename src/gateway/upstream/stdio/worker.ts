import { type JsonObject, writeJson } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import { Conversation } from '../conversation.ts'
import { eraOfInitialize, initializeParams, isPerRequestError, tooLargeHandshake } from '../handshake.ts'
import type { UpstreamContext } from '../options.ts'
import type { PendingOwner, PendingRequest } from '../pending-request.ts'
import type { DownstreamClient, EraReply, Lost, UpstreamEra, UpstreamReply, UpstreamRequest } from '../upstream.ts'
import { eraOfDiscovery } from '../wire/per-request.ts'
import type { ReserveBytes } from '../wire/received-bytes.ts'
import { cancelNotice, writeRequest } from '../wire/write.ts'
import { Child, type Program } from './child.ts'
import type { SlotHolder } from './process-slots.ts'

/**
 * How the handshake with a new process begins: with a probe for 2026-07-28, as with a 2025 server, or by a known era.
 */
export type HandshakePlan = 'probe' | 'initialize' | UpstreamEra

/** Requests for which the upstream gets no `notifications/cancelled`. */
const handshakeMethods = new Set(['initialize', 'server/discover'])

/** The upstream that a process belongs to. */
export interface WorkerOwner {
  readonly context: UpstreamContext
  /** The process sent a notification that belongs to no request. */
  notified(client: DownstreamClient, method: string, params: JsonObject): void
  dropped(): void
  stderrLine(line: string): void
  readonly reserve: ReserveBytes
  /** A request has stopped using the process, so that another may use it or its slot. */
  released(worker: Worker): void
  exited(worker: Worker, detail: string): void
}

/** One process of an upstream. */
export class Worker implements SlotHolder, PendingOwner {
  /** Only clients with this key may use the process. */
  key: string
  readonly client: DownstreamClient
  readonly ready: Promise<EraReply>
  era: UpstreamEra | undefined
  /** The process has been told to exit and takes no new requests. */
  isEnding = false
  /** The process takes no new requests and ends when the requests in flight have ended. */
  isRetiring = false
  hasExited = false
  readonly #owner: WorkerOwner
  readonly #conversation: Conversation
  readonly #child: Child
  #users = 0
  #whyKilled: string | undefined
  #isExclusive = false
  #lastUsed: number

  constructor(owner: WorkerOwner, program: Program, client: DownstreamClient, key: string, plan: HandshakePlan) {
    this.#owner = owner
    this.key = key
    this.client = client
    this.#lastUsed = this.#now()
    const { clock, limits } = owner.context
    this.#conversation = new Conversation({
      clock,
      limits,
      reserve: owner.reserve,
      send: (message) => void this.#child.write(writeJson(message)),
      notified: (method, params) => owner.notified(client, method, params),
      dropped: owner.dropped,
      tooManyValues: (text) => this.#tooLong(text.slice(0, 1_024), text.slice(-1_024)),
    })
    this.#child = new Child(
      program,
      { bytes: limits.messageBytes, reserve: owner.reserve },
      {
        line: (text) => this.#conversation.receive(text),
        tooLong: (head, tail) => {
          owner.dropped()
          this.#tooLong(head, tail)
        },
        endless: () => this.#endless(limits.messageBytes),
        stderrLine: owner.stderrLine,
        exited: (detail) => this.#onExit(detail),
      },
    )
    this.ready = this.#handshake(plan)
  }

  get inFlight(): number {
    return this.#conversation.inFlight
  }

  idleSince(): number | undefined {
    return this.#users === 0 && !this.isEnding ? this.#lastUsed : undefined
  }

  evict(): void {
    inBackground(this.end())
  }

  /** Lets one more request use the process, until `release`. False if the process cannot take it now. */
  acquire(exclusive: boolean): boolean {
    if (this.isEnding || this.isRetiring || this.#isExclusive || this.#whyKilled !== undefined) return false
    if (exclusive && (this.#users > 0 || this.#conversation.hasOrphans)) return false
    this.#users += 1
    this.#isExclusive = exclusive
    return true
  }

  release(): void {
    this.#users -= 1
    this.#isExclusive = false
    this.#lastUsed = this.#now()
    if (this.isRetiring && this.#users === 0) inBackground(this.end())
    this.#owner.released(this)
  }

  /** `isLate`: it had to wait for this process. */
  async request(request: UpstreamRequest, isLate: boolean): Promise<UpstreamReply> {
    // Registered before the handshake ends, so that an early question of the upstream finds the request it belongs to.
    const pending = this.#conversation.register(this, request)
    pending.watchSignal()
    const hasHandshake = this.era === undefined
    if (hasHandshake) {
      const handshake = await Promise.race([this.ready, pending.ended])
      if (handshake.kind !== 'found') pending.end(handshake)
    }
    if (isLate || hasHandshake) await pending.lookAgain()
    if (pending.reply === undefined) this.#write(pending, this.era?.perRequest === true)
    return pending.ended
  }

  notify(method: string, params: JsonObject): void {
    if (this.era?.perRequest === false) this.#child.write(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  async end(): Promise<void> {
    this.isEnding = true
    this.#conversation.loseAll('closed', 'the process was ended by the gateway')
    await this.#child.end(this.#owner.context.limits.shutdown)
  }

  async #handshake(plan: HandshakePlan): Promise<EraReply> {
    // Deferred until the constructor has returned and the upstream has registered this worker.
    await undefined
    const found = await this.#eraByPlan(plan)
    if (found.kind !== 'found') return found
    this.era = found.era
    this.#conversation.perRequest = found.era.perRequest
    return found
  }

  async #eraByPlan(plan: HandshakePlan): Promise<EraReply> {
    if (plan === 'initialize') return this.#initialize()
    if (plan !== 'probe') return plan.perRequest ? { kind: 'found', era: plan } : this.#initialize()
    const reply = await this.#sendHandshake('server/discover', {}, true, this.#owner.context.limits.probe)
    if (reply.kind === 'lost') return reply.reason === 'cancelled' ? this.#initialize() : { ...reply, sent: false }
    if (reply.kind === 'error' && isPerRequestError(reply.error)) return reply
    const tooLarge = reply.kind === 'result' ? tooLargeHandshake(reply, this.#owner.context.limits) : undefined
    if (tooLarge !== undefined) return tooLarge
    const era = reply.kind === 'result' ? eraOfDiscovery(reply.result) : undefined
    return era === undefined ? this.#initialize() : { kind: 'found', era }
  }

  async #initialize(): Promise<EraReply> {
    const { limits, self } = this.#owner.context
    const reply = await this.#sendHandshake('initialize', initializeParams(this.client, self), false, limits.handshake)
    if (reply.kind === 'lost') {
      const reason = reply.reason === 'cancelled' ? 'down' : reply.reason
      return { ...reply, reason, sent: false, detail: `handshake: ${reply.detail}` }
    }
    if (reply.kind !== 'result') return reply
    const tooLarge = tooLargeHandshake(reply, limits)
    if (tooLarge !== undefined) return tooLarge
    const era = eraOfInitialize(reply.result)
    if (era === undefined) return unsupported(reply.result.protocolVersion)
    this.#child.write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return { kind: 'found', era }
  }

  async #sendHandshake(method: string, params: JsonObject, perRequest: boolean, ms: number): Promise<UpstreamReply> {
    const timeout = new AbortController()
    const cancelTimer = this.#owner.context.clock.after(ms, () => timeout.abort())
    const pending = this.#conversation.register(this, { ...this.client, method, params, signal: timeout.signal })
    pending.watchSignal()
    this.#write(pending, perRequest)
    const reply = await pending.ended
    cancelTimer()
    return reply
  }

  ended(pending: PendingRequest): void {
    const { method } = pending.request
    if (pending.needsCancelNotice && !handshakeMethods.has(method))
      this.#child.write(JSON.stringify(cancelNotice(pending)))
    this.#conversation.unregister(pending)
  }

  #write(pending: PendingRequest, perRequest: boolean) {
    const line = writeRequest(pending, perRequest, this.#owner.context.self)
    if (line === undefined) return
    if (this.hasExited) return pending.lose('down', 'the process has ended', false)
    if (!this.#child.write(line)) return pending.lose('busy', 'the process does not read what it is sent', false)
    pending.sent = true
  }

  /** Finds the id of a response that was too long in its beginning or its end. Without an id, every request is lost. */
  #tooLong(head: string, tail: string): void {
    const [, id] = /^\{"jsonrpc":"2\.0","id":(\d+)[,}]/.exec(head) ?? /"id":(\d+)\}\s*$/.exec(tail) ?? []
    const pending = id === undefined ? undefined : this.#conversation.pending.get(Number(id))
    if (pending !== undefined) pending.lose('too-long', 'the response is larger than the limits allow')
    else if (!/^\{[^{]*"method":/.test(head))
      this.#conversation.loseAll('too-long', 'a response is larger than the limits allow')
  }

  /** A process that never ends its line would keep us reading for ever. */
  #endless(limit: number): void {
    this.#whyKilled = `was ended, because it wrote a line much longer than ${limit} bytes`
    this.#conversation.loseAll('too-long', `the process ${this.#whyKilled}`)
    this.#child.kill()
  }

  #onExit(how: string): void {
    const detail = this.#whyKilled ?? how
    this.hasExited = true
    this.#conversation.loseAll('broken', `the process ${detail}`)
    this.#owner.exited(this, detail)
    this.isEnding = true
  }

  #now(): number {
    return this.#owner.context.clock.now().getTime()
  }
}

function unsupported(version: unknown): Lost {
  const detail = `the upstream chose protocol version ${String(version).slice(0, 40)}`
  return { kind: 'lost', reason: 'unsupported', sent: false, detail }
}
