/** Events of the gateway, for metrics and logs. */
export type GatewayNews =
  | CallEnded
  | {
      readonly kind: 'upstream-changed'
      readonly server: string
      readonly state: 'up' | 'down'
      /** May hold what the upstream said. */
      readonly reason?: string
    }
  | ServerMissing
  | { readonly kind: 'server-found'; readonly server: string }
  | Negotiated
  | {
      readonly kind: 'items-left-out'
      readonly server: string
      readonly list: LeftOut['list']
      /** How many were left out of the list; 0: no longer any. */
      readonly count: number
      /** The first of them. */
      readonly items: readonly LeftOut[]
    }

/** A client got a joined list without this server. `server-found` follows when it is there. */
export interface ServerMissing {
  readonly kind: 'server-missing'
  readonly server: string
  readonly waitedMs: number
  /** It has not answered for the first time yet. */
  readonly isStarting: boolean
  /** May hold what the upstream said. */
  readonly reason?: string
}

/** An item of an upstream's list that cannot be used, or the whole list if it has no name. */
export interface LeftOut {
  readonly list: 'tools' | 'prompts' | 'resources' | 'resourceTemplates'
  /** In visible characters. */
  readonly name?: string
  readonly reason: string
}

/** A call ended. One that waits for an answer has not. */
export interface CallEnded {
  readonly kind: 'call-ended'
  readonly server: string
  /** `refused`: it did not run. */
  readonly outcome: 'done' | 'failed' | 'refused'
  readonly durationMs: number
  /** The gateway's own part of the time, without upstreams and providers. Absent if a person was waited for. */
  readonly ownMs?: number
}

/** What was negotiated with a client or an upstream. Told once for each combination. */
export interface Negotiated {
  readonly kind: 'negotiated'
  readonly side: 'client' | 'upstream'
  /** Of an upstream: its id here. */
  readonly server?: string
  /** As the other side calls itself. */
  readonly name?: string
  readonly version?: string
  readonly revision: string
  /** The names of the capabilities it declares. */
  readonly capabilities: readonly string[]
}
