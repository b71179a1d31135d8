import type { AssentForServers } from '../asking/needs.ts'
import type { Events } from '../base/events.ts'
import type { GatewayNews } from '../call/news.ts'
import type { Upstream } from './upstream/upstream.ts'

/** One server behind the gateway. */
export interface UpstreamServer {
  /** Names it everywhere: `[a-z0-9-]{1,32}`. */
  readonly id: string
  readonly upstream: Upstream
  /** What it says about its own tools may allow a call, not only stop one. */
  readonly trusted: boolean
  /** Whose credential of the requester goes with each request. */
  readonly provider?: string
}

/** How long things take, in milliseconds. */
export interface GatewayClocks {
  /** How long a person has to answer what an upstream asks. */
  readonly upstreamAsk: number
  /** How long a call of a 2025 upstream is kept for a 2026 client that has not come back. */
  readonly park: number
  /** How long a list of an upstream is believed, unless it says otherwise. */
  readonly lists: number
}

export interface GatewayLimits {
  /** Calls of 2026 clients that wait for people at once, with a 2025 upstream behind them. */
  readonly parked: number
  /** Questions in a minute that one upstream may put to one requester. Left out: as many as it likes. */
  readonly asksPerMinute?: number
}

/** What the gateway is told. */
export interface GatewaySettings {
  readonly assent: AssentForServers
  readonly servers: readonly UpstreamServer[]
  readonly clocks: GatewayClocks
  readonly limits: GatewayLimits
  /** False: upstreams are told that nobody can be asked. */
  readonly elicitation: boolean
  readonly onError?: (error: unknown) => void
  /** Hears of calls and of what was agreed on with either side. */
  readonly news?: Events<GatewayNews>
}

export const defaultGatewayClocks: GatewayClocks = { upstreamAsk: 60_000, park: 60_000, lists: 60_000 }
export const defaultGatewayLimits: GatewayLimits = { parked: 2_000 }
