import { createEvents } from '../../../base/events.ts'
import type { JsonObject } from '../../../base/json.ts'
import type { ParticipantId } from '../../../participant/participant.ts'
import { clientKey, clientOf } from '../client.ts'
import { EraMemory } from '../era-memory.ts'
import { isPerRequestError } from '../handshake.ts'
import { Health, tellTurns } from '../health.ts'
import type { HttpSettings, UpstreamContext } from '../options.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type {
  DownstreamClient,
  EraReply,
  Lost,
  StopSignal,
  Upstream,
  UpstreamNews,
  UpstreamReply,
  UpstreamRequest,
  UpstreamState,
} from '../upstream.ts'
import { eraOfDiscovery } from '../wire/per-request.ts'
import { HttpTransport } from './http-transport.ts'
import { PerRequestLeg } from './per-request-leg.ts'
import { Session, sessionGone } from './session.ts'

const closed: Lost = { kind: 'lost', reason: 'closed', sent: false, detail: 'the gateway ends' }
const busy: Lost = { kind: 'lost', reason: 'busy', sent: false, detail: 'all sessions are in use' }

/** An upstream at an address. */
export function openHttp(settings: HttpSettings, context: UpstreamContext): Upstream {
  return new HttpUpstream(settings, context)
}

class HttpUpstream implements Upstream {
  readonly name: string
  readonly #context: UpstreamContext
  readonly #transport: HttpTransport
  readonly #perRequest: PerRequestLeg
  readonly #sessions = new Map<string, Session>()
  readonly #probes = new Map<string, Promise<EraReply>>()
  readonly #memory: EraMemory
  readonly #health: Health
  readonly #news = createEvents<UpstreamNews>()
  #callOffSweep: (() => void) | undefined
  #isClosed = false

  constructor(settings: HttpSettings, context: UpstreamContext) {
    this.name = settings.name
    this.#context = context
    this.#transport = new HttpTransport(settings, context)
    this.#memory = new EraMemory(context.clock, context.limits.era)
    this.#health = new Health(context.clock, tellTurns(context, settings.name))
    this.#perRequest = new PerRequestLeg(this.#transport, () => this.#drop())
  }

  async era(client: DownstreamClient, signal: StopSignal): Promise<EraReply> {
    if (this.#isClosed) return closed
    const { era } = this.#memory
    return era !== undefined ? { kind: 'found', era } : unlessAborted(this.#probe(client), signal)
  }

  async request(request: UpstreamRequest): Promise<UpstreamReply> {
    const known = this.#memory.era
    let perRequest = known?.perRequest
    if (perRequest === undefined || this.#isClosed) {
      const found = await this.era(request, request.signal)
      if (found.kind !== 'found') return found
      perRequest = found.era.perRequest
    }
    const reply = await (perRequest ? this.#perRequest.request(request) : this.#inSession(request))
    this.#health.note(reply)
    this.#memory.doubt(reply)
    return reply
  }

  async notify(client: DownstreamClient, method: string, params: JsonObject): Promise<void> {
    this.#sessions.get(clientKey(client))?.notify(method, params)
  }

  listen(listener: (news: UpstreamNews) => void): () => void {
    return this.#news.listen(listener)
  }

  leave(client: DownstreamClient): void {
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
      inFlight: sessions.reduce((sum, { inFlight }) => sum + inFlight, this.#perRequest.inFlight),
      stderr: [],
      ...(revision !== undefined && { revision }),
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#callOffSweep?.()
    this.#perRequest.close()
    await Promise.all([...this.#sessions.values()].map((session) => session.end('the gateway ends')))
    this.#sessions.clear()
    await this.#transport.close()
  }

  /** Visitors with the same credential wait for one probe; another's refusal says nothing about one's own. */
  #probe(client: DownstreamClient): Promise<EraReply> {
    const key = JSON.stringify(client.credential ?? null)
    const running = this.#probes.get(key)
    if (running !== undefined) return running
    const probe = this.#discover(client).then((found) => {
      this.#probes.delete(key)
      if (found.kind === 'found') this.#memory.keep(found.era)
      this.#health.note(found)
      return found
    })
    this.#probes.set(key, probe)
    return probe
  }

  async #discover(client: DownstreamClient): Promise<EraReply> {
    const silence = new AbortController()
    const callOff = this.#transport.clock.after(this.#context.limits.probe, () => silence.abort())
    const probe = { ...clientOf(client), method: 'server/discover', params: {}, signal: silence.signal }
    const reply = await this.#perRequest.request(probe)
    callOff()
    switch (reply.kind) {
      case 'result': {
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

  async #inSession(request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await this.#once(request)
    return reply === sessionGone ? this.#once(request) : reply
  }

  async #once(request: UpstreamRequest): Promise<UpstreamReply> {
    if (request.exclusive !== true) return this.#sessionOf(request)?.request(request) ?? busy
    const session = this.#enter(request)
    if (session === undefined) return busy
    const reply = await session.request(request)
    session.leave()
    return reply
  }

  /** A session on which nobody else can have asked: many servers ask on a stream that belongs to no request. */
  #enter(client: DownstreamClient): Session | undefined {
    const first = clientKey(client)
    for (let n = 1; ; n += 1) {
      const session = this.#sessionOf(client, n === 1 ? first : `${first} ${n}`)
      if (session === undefined || session.enter()) return session
    }
  }

  #sessionOf(client: DownstreamClient, key = clientKey(client)): Session | undefined {
    const open = this.#sessions.get(key)
    if (open !== undefined && !open.isGone) return open
    if (open !== undefined) this.#retire(key, open)
    if (this.#sessions.size >= this.#context.limits.sessions && !this.#makeRoom()) return undefined
    const session = new Session(
      {
        transport: this.#transport,
        tell: (client, method, params) => this.#tell(client, method, params),
        dropped: () => this.#drop(),
      },
      clientOf(client),
    )
    this.#sessions.set(key, session)
    this.#sweepLater()
    return session
  }

  /** What is still in flight on it ends by itself. */
  #retire(key: string, session: Session): void {
    this.#sessions.delete(key)
    session.isLeaving = true
    if (session.inFlight === 0) void session.end()
  }

  #makeRoom(): boolean {
    const idle = [...this.#sessions].filter(([, { inFlight }]) => inFlight === 0)
    const [oldest] = idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed)
    if (oldest === undefined) return false
    this.#retire(...oldest)
    return true
  }

  #sweepLater(): void {
    const { idle } = this.#context.limits
    this.#callOffSweep ??= this.#transport.clock.after(idle / 2, () => {
      this.#callOffSweep = undefined
      const before = this.#transport.clock.now().getTime() - idle
      for (const [key, session] of this.#sessions) {
        if (session.inFlight === 0 && session.lastUsed <= before) this.#retire(key, session)
      }
      if (this.#sessions.size > 0) this.#sweepLater()
    })
  }

  #tell({ requester, sessionKey }: DownstreamClient, method: string, params: JsonObject): void {
    this.#news.tell({ upstream: this.name, requester, ...(sessionKey !== undefined && { sessionKey }), method, params })
  }

  #drop(): void {
    this.#health.dropped += 1
  }
}
