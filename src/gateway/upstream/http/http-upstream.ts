import { createEvents } from '../../../base/events.ts'
import type { JsonObject } from '../../../base/json.ts'
import { inBackground } from '../../../base/under-way.ts'
import type { ParticipantId } from '../../../participant/participant.ts'
import { clientKey, downstreamClientOf } from '../client-keys.ts'
import { EraMemory } from '../era-memory.ts'
import { isPerRequestError, tooLargeHandshake } from '../handshake.ts'
import { Health, reportHealthChanges } from '../health.ts'
import type { HttpSettings, UpstreamContext } from '../options.ts'
import { isStillWanted, notWanted } from '../pending-request.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import type {
  DownstreamClient,
  EraReply,
  Lost,
  StopSignal,
  Upstream,
  UpstreamEra,
  UpstreamNotification,
  UpstreamReply,
  UpstreamRequest,
  UpstreamState,
} from '../upstream.ts'
import { eraOfDiscovery } from '../wire/per-request.ts'
import { HttpTransport } from './http-transport.ts'
import { PerRequestSender } from './per-request-sender.ts'
import { sessionGone, UpstreamSession } from './upstream-session.ts'

const closed: Lost = { kind: 'lost', reason: 'closed', sent: false, detail: 'the gateway is shutting down' }
const busy: Lost = { kind: 'lost', reason: 'busy', sent: false, detail: 'all sessions are in use' }

/** Makes an upstream that is reached over HTTP. */
export function openHttp(settings: HttpSettings, context: UpstreamContext): Upstream {
  return new HttpUpstream(settings, context)
}

class HttpUpstream implements Upstream {
  readonly name: string
  readonly #context: UpstreamContext
  readonly #transport: HttpTransport
  readonly #perRequestSender: PerRequestSender
  readonly #sessions = new Map<string, UpstreamSession>()
  readonly #probes = new Map<string, Promise<EraReply>>()
  readonly #memory: EraMemory
  readonly #health: Health
  readonly #loginAsked: (() => void) | undefined
  readonly #notifications = createEvents<UpstreamNotification>()
  #cancelSweep: (() => void) | undefined
  #isClosed = false

  constructor(settings: HttpSettings, context: UpstreamContext) {
    this.name = settings.name
    this.#context = context
    this.#loginAsked = settings.loginAsked
    this.#transport = new HttpTransport(settings, context)
    this.#memory = new EraMemory(context.clock, context.limits.era)
    this.#health = new Health(context.clock, reportHealthChanges(context, settings.name))
    context.held?.serve(settings.name, (request) => this.#sendHere(request))
    this.#perRequestSender = new PerRequestSender(this.#transport, () => this.#countDropped())
  }

  get knownEra(): UpstreamEra | undefined {
    return this.#isClosed ? undefined : this.#memory.era
  }

  async era(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    if (this.#isClosed) return closed
    const { era } = this.#memory
    return era !== undefined ? { kind: 'found', era } : unlessCancelled(this.#probe(client), signal)
  }

  /** If the era is known, the request is sent in the same tick. */
  request(request: UpstreamRequest): Promise<UpstreamReply> {
    const era = this.knownEra
    return era === undefined ? this.#probeAndRequest(request) : this.#requestIn(era, request)
  }

  async #probeAndRequest(request: UpstreamRequest): Promise<UpstreamReply> {
    const found = await this.era(request, request.signal)
    if (found.kind !== 'found') return found
    return (await isStillWanted(request)) ? this.#requestIn(found.era, request) : notWanted
  }

  async #requestIn({ perRequest }: UpstreamEra, request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await (perRequest ? this.#perRequestSender.request(request) : this.#inSession(request))
    this.#heard(reply)
    this.#memory.forgetIfSuspect(reply)
    return reply
  }

  async notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void> {
    this.#sessions.get(clientKey(client))?.notify(method, params)
  }

  listen(listener: (notification: UpstreamNotification) => void): () => void {
    return this.#notifications.listen(listener)
  }

  release(client: DownstreamClient): void {
    if (this.#context.held?.isUsedElsewhere(this.name, client) === true) return
    const key = clientKey(client)
    const session = this.#sessions.get(key)
    if (session !== undefined) this.#retire(key, session)
  }

  accountChanged(participant: ParticipantId): void {
    for (const [key, session] of this.#sessions) {
      const { requester, credential } = session.client
      if (credential !== undefined && requester.participant === participant) this.#retire(key, session)
    }
  }

  state(): UpstreamState {
    const sessions = [...this.#sessions.values()]
    const revision = this.#memory.era?.revision
    return {
      ...this.#health.state(),
      open: sessions.length,
      inFlight: sessions.reduce((sum, { inFlight }) => sum + inFlight, this.#perRequestSender.inFlight),
      stderr: [],
      ...(revision !== undefined && { revision }),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelSweep?.()
    this.#perRequestSender.close()
    const ends = [...this.#sessions].map(([key, session]) => {
      const isLeft =
        key === clientKey(session.client) && this.#context.held?.outlives(this.name, session.client) === true
      return session.end('the gateway is shutting down', isLeft)
    })
    await Promise.all(ends)
    this.#sessions.clear()
    await this.#transport.close()
  }

  /** Clients with the same credential share one probe: the upstream may refuse one credential and accept another. */
  #probe(client: DownstreamClient): Promise<EraReply> {
    const key = JSON.stringify(client.credential ?? null)
    const running = this.#probes.get(key)
    if (running !== undefined) return running
    this.#health.markStarting()
    const probe = this.#discover(client).then((found) => {
      this.#probes.delete(key)
      if (found.kind === 'found') this.#memory.remember(found.era)
      this.#heard(found)
      return found
    })
    this.#probes.set(key, probe)
    return probe
  }

  #heard(reply: UpstreamReply | EraReply): void {
    this.#health.record(reply)
    if (reply.kind === 'unauthorized' && reply.status === 401) this.#loginAsked?.()
  }

  async #discover(client: DownstreamClient): Promise<EraReply> {
    const timeout = new AbortController()
    const cancelTimer = this.#transport.clock.after(this.#context.limits.probe, () => timeout.abort())
    const probe = { ...downstreamClientOf(client), method: 'server/discover', params: {}, signal: timeout.signal }
    const reply = await this.#perRequestSender.request(probe)
    cancelTimer()
    switch (reply.kind) {
      case 'result': {
        const tooLarge = tooLargeHandshake(reply, this.#context.limits)
        if (tooLarge !== undefined) return tooLarge
        const era = eraOfDiscovery(reply.result)
        return era === undefined ? this.#initialize(client) : { kind: 'found', era }
      }
      case 'unauthorized':
        return reply
      case 'error':
        return isPerRequestError(reply.error) ? reply : this.#initialize(client)
      case 'lost': {
        const isNoAnswer = ['down', 'redirected', 'closed'].includes(reply.reason)
        return isNoAnswer ? { ...reply, sent: false } : this.#initialize(client)
      }
    }
  }

  async #initialize(client: DownstreamClient): Promise<EraReply> {
    return this.#sessionOf(client)?.ready ?? busy
  }

  #inSession(request: UpstreamRequest): Promise<UpstreamReply> {
    const { held } = this.#context
    if (held === undefined) return this.#inSessionHere(request)
    return held.send(this.name, request, (one) => this.#inSessionHere(one))
  }

  /** A request of another instance. */
  async #sendHere(request: UpstreamRequest): Promise<UpstreamReply> {
    if (this.#isClosed) return closed
    const reply = await this.#inSessionHere(request)
    this.#health.record(reply)
    return reply
  }

  async #inSessionHere(request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await this.#tryInSession(request)
    return reply === sessionGone ? this.#tryInSession(request) : reply
  }

  #tryInSession(request: UpstreamRequest): Promise<UpstreamReply> | Lost {
    return request.exclusive === true
      ? this.#inSessionAlone(request)
      : (this.#sessionOf(request)?.request(request) ?? busy)
  }

  async #inSessionAlone(request: UpstreamRequest): Promise<UpstreamReply> {
    const session = this.#acquire(request)
    if (session === undefined) return busy
    const reply = await session.request(request)
    session.release()
    return reply
  }

  /** A session with no other request that may ask, because many servers ask on a stream that belongs to no request. */
  #acquire(client: DownstreamClient): UpstreamSession | undefined {
    const first = clientKey(client)
    for (let n = 1; ; n += 1) {
      const session = this.#sessionOf(client, n === 1 ? first : `${first} ${n}`)
      if (session === undefined || session.acquire()) return session
    }
  }

  #sessionOf(client: DownstreamClient, key = clientKey(client)): UpstreamSession | undefined {
    const open = this.#sessions.get(key)
    if (open !== undefined && !open.isGone) return open
    if (open !== undefined) this.#retire(key, open)
    if (this.#sessions.size >= this.#context.limits.sessions && !this.#makeRoom()) return undefined
    return this.#openSession(downstreamClientOf(client), key)
  }

  /** Apart from finding it: what a session is made with lives as long as the session, and a request must not. */
  #openSession(client: DownstreamClient, key: string): UpstreamSession {
    const { held } = this.#context
    // A further session of a client is for one call at a time, and ends with this process.
    const isFirst = held !== undefined && key === clientKey(client)
    const session = new UpstreamSession(
      {
        transport: this.#transport,
        notified: (client, method, params) => this.#notify(client, method, params),
        dropped: () => this.#countDropped(),
        ...(isFirst && { opened: (opened) => held.opened(this.name, client, opened) }),
      },
      client,
      isFirst ? held.resume(this.name, client) : undefined,
    )
    this.#sessions.set(key, session)
    this.#scheduleSweep()
    return session
  }

  /** Takes a session out of use. It is closed when the requests in flight on it have ended. */
  #retire(key: string, session: UpstreamSession): void {
    this.#sessions.delete(key)
    session.isRetiring = true
    if (session.inFlight === 0) inBackground(session.end())
  }

  #makeRoom(): boolean {
    const idle = [...this.#sessions].filter(([, { inFlight }]) => inFlight === 0)
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed)
    if (oldest === undefined) return false
    this.#retire(...oldest)
    return true
  }

  #scheduleSweep(): void {
    const { idle } = this.#context.limits
    this.#cancelSweep ??= this.#transport.clock.after(idle / 2, () => {
      this.#cancelSweep = undefined
      const before = this.#transport.clock.now().getTime() - idle
      for (const [key, session] of this.#sessions) {
        if (session.inFlight === 0 && session.lastUsed <= before) this.#retire(key, session)
      }
      if (this.#sessions.size > 0) this.#scheduleSweep()
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

  #countDropped(): void {
    this.#health.dropped += 1
  }
}
