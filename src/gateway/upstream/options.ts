import type { Clock } from '../../base/clock.ts'
import type { Events } from '../../base/events.ts'
import type { GatewayNews } from '../../call/news.ts'
import type { ProcessSlots } from './stdio/process-slots.ts'
import type { ClientInfo } from './upstream.ts'

/** Where an upstream is. */
export type UpstreamSettings = StdioSettings | HttpSettings

/** A program that speaks MCP on stdin and stdout. */
export interface StdioSettings {
  readonly name: string
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** An address that speaks MCP over HTTP, as the administrator wrote it. */
export interface HttpSettings {
  readonly name: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
}

/** What upstreams share. */
export interface UpstreamContext {
  readonly clock: Clock
  /** How the gateway introduces itself where the client gave no name. */
  readonly self: ClientInfo
  readonly limits: UpstreamLimits
  /** The processes of all upstreams together. */
  readonly slots: ProcessSlots
  /** Hears when an upstream goes down, and when it is back. */
  readonly news?: Events<GatewayNews>
}

/** Sizes in bytes, times in milliseconds. */
export interface UpstreamLimits {
  /** The longest message an upstream may send. */
  readonly messageBytes: number
  /** Notifications a second from one session or process; more are dropped. */
  readonly notificationsPerSecond: number
  /** Questions of one session or process that are open at once. */
  readonly openAsks: number
  readonly connect: number
  /** How long a silent upstream is given to answer the probe before it is taken for an older one. */
  readonly probe: number
  /** How long a 2025 handshake may take. */
  readonly handshake: number
  /** How long an upstream may work on a request without a word of it; while it asks somebody, nothing is counted. */
  readonly silence: number
  /** How long what was found by probing is believed. */
  readonly era: number
  readonly idle: number
  /** 2025 sessions, or processes, of one upstream. */
  readonly sessions: number
  readonly processes: number
  /** Requests waiting for a process, and how long they do. */
  readonly queue: number
  readonly queueWait: number
  /** A process that is to be started again sooner than this is waited for. */
  readonly restartPatience: number
  /** How long a process may take to end by itself, and again after it was told to. */
  readonly farewell: number
}

/** The limits that hold where none are given. */
export const defaultLimits: UpstreamLimits = {
  messageBytes: 4 * 1024 * 1024,
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
  farewell: 2_000,
}
