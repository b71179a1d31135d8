import { createEvents } from '../../../base/events.ts'
import type { JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { ParticipantId } from '../../../participant/participant.ts'
import { clientKey, downstreamClientOf, processKey, sharedProcessKey } from '../client-keys.ts'
import { EraMemory } from '../era-memory.ts'
import { Health, reportHealthChanges } from '../health.ts'
import type { StdioSettings, UpstreamContext } from '../options.ts'
import { isStillWanted, notWanted } from '../pending-request.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import type {
  DownstreamClient,
  EraReply,
  Lost,
  LostReason,
  StopSignal,
  Upstream,
  UpstreamEra,
  UpstreamNotification,
  UpstreamReply,
  UpstreamRequest,
  UpstreamState,
} from '../upstream.ts'
import { BackOff } from './back-off.ts'
import { childEnvironment } from './environment.ts'
import { longestIdle } from './process-slots.ts'
import { WaitQueue } from './wait-queue.ts'
import { type HandshakePlan, Worker, type WorkerOwner } from './worker.ts'

const maxStderrLines = 20

/**
 * Makes an upstream that is a program: one process for each client on 2025 revisions, one for all clients on
 * 2026-07-28.
 */
export function openStdio(settings: StdioSettings, context: UpstreamContext): Upstream {
  return new StdioUpstream(settings, context)
}

class StdioUpstream implements Upstream {
  readonly name: string
  readonly #settings: StdioSettings
  readonly #context: UpstreamContext
  readonly #workers = new Set<Worker>()
  readonly #queue: WaitQueue
  readonly #memory: EraMemory
  readonly #health: Health
  readonly #backOff: BackOff
  readonly #notifications = createEvents<UpstreamNotification>()
  readonly #stderr: string[] = []
  readonly #owner: WorkerOwner
  readonly #stopWatchingSlots: () => void
  #probing: Promise<EraReply> | undefined
  #exitsOnProbe = false
  #cancelSweep: (() => void) | undefined
  #isClosed = false

  constructor(settings: StdioSettings, context: UpstreamContext) {
    const { clock, limits, slots } = context
    this.name = settings.name
    this.#settings = settings
    this.#context = context
    this.#queue = new WaitQueue(clock)
    context.held?.serve(settings.name, async (request) => {
      const found = await this.era(request, request.signal)
      return found.kind === 'found' ? this.#sendHere(request, found.era) : found
    })
    this.#memory = new EraMemory(clock, limits.era)
    this.#health = new Health(clock, reportHealthChanges(context, settings.name), () => tellingLine(this.#stderr))
    this.#backOff = new BackOff(clock)
    this.#stopWatchingSlots = slots.onRelease(() => this.#queue.wake())
    this.#owner = {
      context,
      reserve: (bytes) => context.messages.lease(settings.name, bytes),
      notified: (client, method, params) => this.#notify(client, method, params),
      dropped: () => {
        this.#health.dropped += 1
      },
      stderrLine: (line) => {
        this.#stderr.push(line)
        if (this.#stderr.length > maxStderrLines) this.#stderr.shift()
      },
      released: () => this.#onRelease(),
      exited: (worker, detail) => this.#onExit(worker, detail),
    }
  }

  get knownEra(): UpstreamEra | undefined {
    return this.#isClosed ? undefined : this.#memory.era
  }

  async era(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    for (;;) {
      if (this.#isClosed) return lost('closed', 'the gateway is shutting down')
      const { era } = this.#memory
      if (era !== undefined) return { kind: 'found', era }
      if (signal.aborted) return cancelled
      // A running process does not change its era.
      const running = [...this.#workers].find((worker) => worker.era !== undefined && !worker.isEnding)?.era
      if (running !== undefined) this.#memory.remember(running)
      else if (this.#probing === undefined) return this.#probe(client, signal)
      else await this.#queue.wait(signal, this.#context.limits.handshake)
    }
  }

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const isKnown = this.knownEra !== undefined
    const found = await this.era(request, request.signal)
    if (found.kind !== 'found') return found
    if (!isKnown && !(await isStillWanted(request))) return notWanted
    const { held } = this.#context
    if (held === undefined || found.era.perRequest) return this.#sendHere(request, found.era)
    return held.send(this.name, request, (one) => this.#sendHere(one, found.era))
  }

  async #sendHere(request: UpstreamRequest, era: UpstreamEra): Promise<UpstreamReply> {
    let isLate = false
    const worker = await this.#acquire(request, era, () => {
      isLate = true
    })
    if (!(worker instanceof Worker)) return worker
    const reply = await worker.request(request, isLate)
    worker.release()
    if (reply.kind !== 'lost') this.#backOff.reset()
    this.#health.record(reply)
    this.#memory.forgetIfSuspect(reply)
    return reply
  }

  async notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void> {
    for (const worker of this.#workersOf(client)) worker.notify(method, params)
  }

  listen(listener: (notification: UpstreamNotification) => void): () => void {
    return this.#notifications.listen(listener)
  }

  release(client: DownstreamClient): void {
    if (this.#context.held?.isUsedElsewhere(this.name, client) === true) return
    for (const worker of this.#workersOf(client)) this.#retire(worker)
  }

  accountChanged(participant: ParticipantId): void {
    for (const worker of this.#workers) {
      const { requester, credential } = worker.client
      if (credential !== undefined && requester.participant === participant) this.#retire(worker)
    }
  }

  state(): UpstreamState {
    const revision = this.#memory.era?.revision
    return {
      ...this.#health.state(),
      open: this.#workers.size,
      inFlight: [...this.#workers].reduce((sum, { inFlight }) => sum + inFlight, 0),
      stderr: [...this.#stderr],
      ...(revision !== undefined && { revision }),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep?.()
    this.#queue.wake()
    await Promise.all([...this.#workers].map((worker) => worker.end()))
    this.#stopWatchingSlots()
  }

  /** Only one probe runs at a time, so that a program is not started several times to learn the same thing. */
  async #probe(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    const deadline = this.#now() + this.#context.limits.queueWait
    for (;;) {
      const started = this.#start(client, processKey(client), this.#exitsOnProbe ? 'initialize' : 'probe')
      if (started instanceof Worker) {
        this.#health.markStarting()
        this.#probing = this.#finishProbe(started, client)
        return unlessCancelled(this.#probing, signal)
      }
      const refusal = started ?? (await this.#waitForRoom(signal, deadline))
      if (refusal !== undefined) return refusal
      if (this.#probing !== undefined) return this.era(client, signal)
    }
  }

  async #finishProbe(first: Worker, client: DownstreamClient): Promise<EraReply> {
    let worker = first
    let found = await worker.ready
    // Some 2025 servers exit when a request comes before `initialize`, so they are started again without a probe.
    if (found.kind === 'lost' && worker.hasExited && !this.#exitsOnProbe && !this.#isClosed) {
      this.#exitsOnProbe = true
      const again = this.#start(client, processKey(client), 'initialize', true)
      if (again instanceof Worker) {
        worker = again
        found = await worker.ready
      }
      if (found.kind !== 'found') this.#exitsOnProbe = false
    }
    if (found.kind === 'found') this.#rememberEra(worker, found.era.perRequest)
    else inBackground(worker.end())
    this.#probing = undefined
    this.#health.record(found)
    this.#queue.wake()
    return found
  }

  #rememberEra(worker: Worker, perRequest: boolean): void {
    if (worker.era !== undefined) this.#memory.remember(worker.era)
    if (perRequest) worker.key = sharedProcessKey(worker.client)
  }

  /** Acquires a process for this request. Starts one if needed, and waits while there is no room, which it tells. */
  async #acquire(request: UpstreamRequest, era: UpstreamEra, waits: () => void): Promise<Worker | Lost> {
    const { perRequest } = era
    const key = perRequest ? sharedProcessKey(request) : processKey(request)
    const exclusive = request.exclusive === true && !perRequest
    const deadline = this.#now() + this.#context.limits.queueWait
    for (;;) {
      if (this.#isClosed) return lost('closed', 'the gateway is shutting down')
      if (request.signal.aborted) return cancelled
      for (const worker of this.#workers) if (worker.key === key && worker.acquire(exclusive)) return worker
      const started = this.#start(request, key, era)
      if (started instanceof Worker) {
        started.acquire(exclusive)
        return started
      }
      waits()
      const refusal = started ?? (await this.#waitForRoom(request.signal, deadline))
      if (refusal !== undefined) return refusal
    }
  }

  /** Undefined if there is no room now, or the restart is not due yet. */
  #start(client: DownstreamClient, key: string, plan: HandshakePlan, atOnce = false): Worker | Lost | undefined {
    const { limits, slots } = this.#context
    const wait = atOnce ? 0 : this.#backOff.remaining
    if (wait > limits.restartPatience)
      return lost('down', `the process failed and will be restarted in ${Math.ceil(wait / 1_000)} s`)
    if (wait > 0) return undefined
    if (this.#workers.size >= limits.processes) {
      longestIdle(this.#workers)?.evict()
      return undefined
    }
    const holder = { idleSince: () => worker?.idleSince(), evict: () => worker?.evict() }
    let worker: Worker | undefined
    if (!slots.acquire(holder)) return undefined
    worker = new Worker(this.#owner, this.#program(client), downstreamClientOf(client), key, plan)
    this.#workers.add(worker)
    this.#slots.set(worker, holder)
    this.#scheduleSweep()
    return worker
  }

  readonly #slots = new WeakMap<Worker, { idleSince(): number | undefined; evict(): void }>()

  /** Waits until something changes; returns why the request must not wait any longer, if so. */
  async #waitForRoom(signal: StopSignal, deadline: number): Promise<Lost | undefined> {
    const { limits } = this.#context
    if (this.#queue.size >= limits.queue) return lost('busy', 'too many requests are waiting for a process')
    const left = deadline - this.#now()
    if (left <= 0) return lost('busy', 'all processes are in use')
    await this.#queue.wait(signal, Math.min(left, this.#backOff.remaining || left))
    if (signal.aborted) return cancelled
    return this.#isClosed ? lost('closed', 'the gateway is shutting down') : undefined
  }

  #program({ credential }: DownstreamClient) {
    const { command, args = [], env = {}, cwd } = this.#settings
    const secret = credential !== undefined && 'env' in credential ? { [credential.env]: credential.value } : {}
    return { command, args, cwd, env: childEnvironment(process.env, env, secret) }
  }

  #onRelease(): void {
    // Waiting requests look again: they can use this process, or end it if they need its slot.
    this.#queue.wake()
  }

  #onExit(worker: Worker, detail: string): void {
    this.#workers.delete(worker)
    if (!worker.isEnding && !this.#isClosed) {
      this.#health.restarts += 1
      this.#health.markDown(`the process ${detail}`)
      this.#backOff.failed()
      this.#memory.forget()
    }
    const holder = this.#slots.get(worker)
    if (holder !== undefined) this.#context.slots.release(holder)
    this.#queue.wake()
  }

  /** The 2025 processes of this client, whatever secret they were started with. */
  #workersOf(client: DownstreamClient): Worker[] {
    const key = clientKey(client)
    return [...this.#workers].filter(({ era, client: own }) => era?.perRequest !== true && clientKey(own) === key)
  }

  #retire(worker: Worker): void {
    worker.isRetiring = true
    if (worker.idleSince() !== undefined) inBackground(worker.end())
  }

  #scheduleSweep(): void {
    const { clock, limits } = this.#context
    this.#cancelSweep ??= clock.after(limits.idle / 2, () => {
      this.#cancelSweep = undefined
      const before = this.#now() - limits.idle
      for (const worker of this.#workers) {
        const since = worker.idleSince()
        if (since !== undefined && since <= before) inBackground(worker.end())
      }
      if (this.#workers.size > 0) this.#scheduleSweep()
    })
  }

  #notify({ requester, sessionKey }: DownstreamClient, method: string, params: JsonObject): void {
    this.#notifications.tell({
      upstream: this.name,
      requester,
      ...(sessionKey !== undefined && { sessionKey }),
      method,
      params,
    })
  }

  #now(): number {
    return this.#context.clock.now().getTime()
  }
}

/** The last line that says something. Node ends a crash with a stack and its version. */
function tellingLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => !/^(at |Node\.js v\d|[{}^\s]*$)/.test(line))
}

const cancelled = lost('cancelled', 'the caller cancelled the request')

function lost(reason: LostReason, detail: string): Lost {
  return { kind: 'lost', reason, sent: false, detail }
}
