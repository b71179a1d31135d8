import type { Clock } from '../../base/clock.ts'
import type { Events } from '../../base/events.ts'
import type { Budget } from '../../base/limits/budget.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { ProcessSlots } from './stdio/process-slots.ts'
import type { DownstreamClient, Implementation, UpstreamEra, UpstreamReply, UpstreamRequest } from './upstream.ts'

/** How to reach an upstream. */
export type UpstreamSettings = StdioSettings | HttpSettings

/** An MCP server that is started as a program and speaks over stdin and stdout. */
export interface StdioSettings {
  /** The upstream's name in the catalog, the audit and the log. */
  readonly name: string
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few variables that every process inherits, such as `PATH`; `ASSENT_*` is never passed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** An MCP server at an HTTP address from the configuration. */
export interface HttpSettings {
  /** The upstream's name in the catalog, the audit and the log. */
  readonly name: string
  readonly url: URL
  /** Sent with every request, unless the requester's credential sets the same header. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the upstream answers a request 401. */
  readonly loginAsked?: () => void
}

/** Shared by all upstreams of one gateway. */
export interface UpstreamContext {
  readonly clock: Clock
  /** Sent as the client's name and version if the downstream client gave none. */
  readonly self: Implementation
  readonly limits: UpstreamLimits
  /** Limits the number of processes of all upstreams together. */
  readonly slots: ProcessSlots
  /** Memory for what upstreams have sent and nobody has dealt with yet, by the upstream's name. */
  readonly messages: Budget
  /** Receives an event when an upstream goes down and when it is up again. */
  readonly news?: Events<GatewayNews>
  /** Left out: sessions end with this process. */
  readonly held?: HeldSessions
}

/** A session with a 2025 upstream over HTTP, as far as another instance needs it to go on with it. */
export interface ResumableSession {
  readonly id: string
  readonly era: UpstreamEra
  /** Ids up to this number may be those of requests that are still in flight. */
  readonly lastId?: number
}

/** Lets the instances that share a store use each other's sessions with 2025 upstreams, which live with one of them each. */
export interface HeldSessions {
  /** The upstream can be reached here by `here`, which others use too. */
  serve(upstream: string, here: (request: UpstreamRequest) => Promise<UpstreamReply>): void
  /** Sends a request where the session of its client is held: by `here`, or at another instance. */
  send(
    upstream: string,
    request: UpstreamRequest,
    here: (request: UpstreamRequest) => Promise<UpstreamReply>,
  ): Promise<UpstreamReply>
  /** Another instance used the session of this client lately, so that it is not ended when its client leaves this one. */
  isUsedElsewhere(upstream: string, client: DownstreamClient): boolean
  /** The session of this client that an instance which is gone has left, once. Undefined: there is none. */
  resume(upstream: string, client: DownstreamClient): ResumableSession | undefined
  /** A session was opened. Undefined: the upstream gave it no id. Resolves when others can go on with it; never rejects. */
  opened(upstream: string, client: DownstreamClient, session: ResumableSession | undefined): Promise<void>
  /** Whether another instance may go on with the session when this one stops, so that it must not be ended at the upstream. */
  outlives(upstream: string, client: DownstreamClient): boolean
}

/** Limits for each upstream. Sizes are in bytes, times in milliseconds. */
export interface UpstreamLimits {
  /** The longest message an upstream may send. */
  readonly messageBytes: number
  /** How many JSON values a message may hold, at any depth. */
  readonly messageValues: number
  /** Bytes of memory for what an upstream says of itself in the handshake, which is kept for each session. */
  readonly handshakeBytes: number
  /** Notifications and requests per second from one session or process; more are dropped. */
  readonly notificationsPerSecond: number
  /** Questions of one session or process that may be open at once. */
  readonly openAsks: number
  /** How long opening a connection may take. */
  readonly connect: number
  /** How long an upstream may take to answer the 2026-07-28 probe before it is treated as a 2025 server. */
  readonly probe: number
  /** How long a 2025 handshake may take. */
  readonly handshake: number
  /**
   * How long an upstream may send nothing about a request. Time in which it waits for a person's answer does not count.
   */
  readonly silence: number
  /** How long the result of probing is remembered. */
  readonly era: number
  /** How long a 2025 session or a process may be unused before it is ended. */
  readonly idle: number
  /** 2025 sessions of one upstream over HTTP. */
  readonly sessions: number
  /** Processes of one upstream. */
  readonly processes: number
  /** Requests of one upstream that may wait for a process. */
  readonly queue: number
  /** How long a request waits for a process. */
  readonly queueWait: number
  /** A request waits for a restart that is due sooner than this, and fails at once otherwise. */
  readonly restartPatience: number
  /** How long a process may take to exit after its input was closed, and again after SIGTERM. */
  readonly shutdown: number
}

/** The limits that apply unless others are given. */
export const defaultUpstreamLimits: UpstreamLimits = {
  messageBytes: 4 * 1024 * 1024,
  messageValues: 200_000,
  handshakeBytes: 1024 * 1024,
  notificationsPerSecond: 500,
  openAsks: 100,
  connect: 10_000,
  probe: 10_000,
  handshake: 60_000,
  silence: 30 * 60_000,
  era: 600_000,
  idle: 600_000,
  sessions: 1_000,
  processes: 16,
  queue: 100,
  queueWait: 30_000,
  restartPatience: 2_500,
  shutdown: 2_000,
}
