import { createEvents } from '../../../base/events.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { ParticipantId } from '../../../participant/participant.ts'
import { clientKey, clientOf, processKey, sharedProcessKey } from '../client.ts'
import { EraMemory } from '../era-memory.ts'
import { Health, tellTurns } from '../health.ts'
import type { StdioSettings, UpstreamContext } from '../options.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type {
  DownstreamClient,
  EraReply,
  Lost,
  LostReason,
  StopSignal,
  Upstream,
  UpstreamEra,
  UpstreamNews,
  UpstreamReply,
  UpstreamRequest,
  UpstreamState,
} from '../upstream.ts'
import { BackOff } from './back-off.ts'
import { childEnvironment } from './environment.ts'
import { longestIdle } from './process-slots.ts'
import { WaitQueue } from './wait-queue.ts'
import { type Meeting, Worker, type WorkerOwner } from './worker.ts'

const keptLines = 20

/** An upstream that is a program: a process for each 2025 visitor, one for all where requests stand alone. */
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
  readonly #news = createEvents<UpstreamNews>()
  readonly #stderr: string[] = []
  readonly #owner: WorkerOwner
  readonly #stopListening: () => void
  #probing: Promise<EraReply> | undefined
  #diesOfProbes = false
  #callOffSweep: (() => void) | undefined
  #isClosed = false

  constructor(settings: StdioSettings, context: UpstreamContext) {
    const { clock, limits, slots } = context
    this.name = settings.name
    this.#settings = settings
    this.#context = context
    this.#queue = new WaitQueue(clock)
    this.#memory = new EraMemory(clock, limits.era)
    this.#health = new Health(clock, tellTurns(context, settings.name))
    this.#backOff = new BackOff(clock)
    this.#stopListening = slots.onFree(() => this.#queue.wake())
    this.#owner = {
      context,
      tell: (client, method, params) => this.#tell(client, method, params),
      dropped: () => {
        this.#health.dropped += 1
      },
      complained: (line) => {
        this.#stderr.push(line)
        if (this.#stderr.length > keptLines) this.#stderr.shift()
      },
      freed: () => this.#freed(),
      exited: (worker, detail) => this.#exited(worker, detail),
    }
  }

  async era(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    for (;;) {
      if (this.#isClosed) return lost('closed', 'the gateway ends')
      const { era } = this.#memory
      if (era !== undefined) return { kind: 'found', era }
      if (signal.aborted) return cancelled
      // What a process that runs was found to speak, it speaks as long as it runs.
      const met = [...this.#workers].find((worker) => worker.era !== undefined && !worker.isEnding)?.era
      if (met !== undefined) this.#memory.keep(met)
      else if (this.#probing === undefined) return this.#probe(client, signal)
      else await this.#queue.wait(signal, this.#context.limits.handshake)
    }
  }

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const found = await this.era(request, request.signal)
    if (found.kind !== 'found') return found
    const worker = await this.#enter(request, found.era)
    if (!(worker instanceof Worker)) return worker
    const reply = await worker.request(request)
    worker.leave()
    if (reply.kind !== 'lost') this.#backOff.worked()
    this.#health.note(reply)
    this.#memory.doubt(reply)
    return reply
  }

  async notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void> {
    for (const worker of this.#of(client)) worker.notify(method, params)
  }

  listen(listener: (news: UpstreamNews) => void): () => void {
    return this.#news.listen(listener)
  }

  leave(client: DownstreamClient): void {
    for (const worker of this.#of(client)) this.#retire(worker)
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
    this.#callOffSweep?.()
    this.#queue.wake()
    await Promise.all([...this.#workers].map((worker) => worker.end()))
    this.#stopListening()
  }

  /** One at a time: a program is not started many times over to learn the same thing. */
  async #probe(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    const deadline = this.#now() + this.#context.limits.queueWait
    for (;;) {
      const started = this.#start(client, processKey(client), this.#diesOfProbes ? 'initialize' : 'probe')
      if (started instanceof Worker) {
        this.#probing = this.#met(started, client)
        return unlessAborted(this.#probing, signal)
      }
      const refusal = started ?? (await this.#stillFull(signal, deadline))
      if (refusal !== undefined) return refusal
      if (this.#probing !== undefined) return this.era(client, signal)
    }
  }

  async #met(first: Worker, client: DownstreamClient): Promise<EraReply> {
    let worker = first
    let met = await worker.ready
    // Some older servers do not survive a request before the handshake; as 2025 servers they may do well.
    if (met.kind === 'lost' && worker.isGone && !this.#diesOfProbes && !this.#isClosed) {
      this.#diesOfProbes = true
      const again = this.#start(client, processKey(client), 'initialize', true)
      if (again instanceof Worker) {
        worker = again
        met = await worker.ready
      }
      if (met.kind !== 'found') this.#diesOfProbes = false
    }
    if (met.kind === 'found') this.#keep(worker, met.era.perRequest)
    else void worker.end()
    this.#probing = undefined
    this.#health.note(met)
    this.#queue.wake()
    return met
  }

  #keep(worker: Worker, perRequest: boolean): void {
    if (worker.era !== undefined) this.#memory.keep(worker.era)
    if (perRequest) worker.key = sharedProcessKey(worker.client)
  }

  /** A process that this request may use, in use from here on. */
  async #enter(request: UpstreamRequest, era: UpstreamEra): Promise<Worker | Lost> {
    const { perRequest } = era
    const key = perRequest ? sharedProcessKey(request) : processKey(request)
    const exclusive = request.exclusive === true && !perRequest
    const deadline = this.#now() + this.#context.limits.queueWait
    for (;;) {
      if (this.#isClosed) return lost('closed', 'the gateway ends')
      if (request.signal.aborted) return cancelled
      for (const worker of this.#workers) if (worker.key === key && worker.enter(exclusive)) return worker
      const started = this.#start(request, key, era)
      if (started instanceof Worker) {
        started.enter(exclusive)
        return started
      }
      const refusal = started ?? (await this.#stillFull(request.signal, deadline))
      if (refusal !== undefined) return refusal
    }
  }

  /** Undefined: there is no room now. */
  #start(client: DownstreamClient, key: string, meeting: Meeting, atOnce = false): Worker | Lost | undefined {
    const { limits, slots } = this.#context
    const wait = atOnce ? 0 : this.#backOff.remaining
    if (wait > limits.restartPatience)
      return lost('down', `it failed, and is started again in ${Math.ceil(wait / 1_000)} s`)
    if (wait > 0) return undefined
    if (this.#workers.size >= limits.processes) {
      longestIdle(this.#workers)?.evict()
      return undefined
    }
    const place = { idleSince: () => worker?.idleSince(), evict: () => worker?.evict() }
    let worker: Worker | undefined
    if (!slots.take(place)) return undefined
    worker = new Worker(this.#owner, this.#program(client), clientOf(client), key, meeting)
    this.#workers.add(worker)
    this.#slots.set(worker, place)
    this.#sweepLater()
    return worker
  }

  readonly #slots = new WeakMap<Worker, { idleSince(): number | undefined; evict(): void }>()

  /** Waits for room, or says why it does not. */
  async #stillFull(signal: StopSignal, deadline: number): Promise<Lost | undefined> {
    const { limits } = this.#context
    if (this.#queue.size >= limits.queue) return lost('busy', 'too many requests wait for a process')
    const left = deadline - this.#now()
    if (left <= 0) return lost('busy', 'all processes are in use')
    await this.#queue.wait(signal, Math.min(left, this.#backOff.remaining || left))
    if (signal.aborted) return cancelled
    return this.#isClosed ? lost('closed', 'the gateway ends') : undefined
  }

  #program({ credential }: DownstreamClient) {
    const { command, args = [], env = {}, cwd } = this.#settings
    const secret = credential !== undefined && 'env' in credential ? { [credential.env]: credential.value } : {}
    return { command, args, cwd, env: childEnvironment(process.env, env, secret) }
  }

  #freed(): void {
    // An idle process keeps its place from those who wait for one; they look, and end it if they need to.
    this.#queue.wake()
  }

  #exited(worker: Worker, detail: string): void {
    this.#workers.delete(worker)
    if (!worker.isEnding && !this.#isClosed) {
      this.#health.restarts += 1
      this.#health.down(`the process ${detail}`)
      this.#backOff.failed()
      this.#memory.forget()
    }
    const place = this.#slots.get(worker)
    if (place !== undefined) this.#context.slots.free(place)
    this.#queue.wake()
  }

  /** The 2025 processes of this visitor, whatever secret they were started with. */
  #of(client: DownstreamClient): Worker[] {
    const key = clientKey(client)
    return [...this.#workers].filter(({ era, client: own }) => era?.perRequest !== true && clientKey(own) === key)
  }

  #retire(worker: Worker): void {
    worker.isLeaving = true
    if (worker.idleSince() !== undefined) void worker.end()
  }

  #sweepLater(): void {
    const { clock, limits } = this.#context
    this.#callOffSweep ??= clock.after(limits.idle / 2, () => {
      this.#callOffSweep = undefined
      const before = this.#now() - limits.idle
      for (const worker of this.#workers) {
        const since = worker.idleSince()
        if (since !== undefined && since <= before) void worker.end()
      }
      if (this.#workers.size > 0) this.#sweepLater()
    })
  }

  #tell({ requester, sessionKey }: DownstreamClient, method: string, params: JsonObject): void {
    this.#news.tell({ upstream: this.name, requester, ...(sessionKey !== undefined && { sessionKey }), method, params })
  }

  #now(): number {
    return this.#context.clock.now().getTime()
  }
}

const cancelled = lost('cancelled', 'the caller wants no answer any more')

function lost(reason: LostReason, detail: string): Lost {
  return { kind: 'lost', reason, sent: false, detail }
}
