/** What happened on the way of calls, for whoever counts or logs it. */
export type GatewayNews =
  | CallEnded
  | {
      readonly kind: 'upstream-changed'
      readonly server: string
      readonly state: 'up' | 'down'
      /** May hold what the upstream said. */
      readonly reason?: string
    }
  | Negotiated

/** A call came to its end; one that waits for an answer did not yet. */
export interface CallEnded {
  readonly kind: 'call-ended'
  readonly server: string
  /** `refused`: it never ran. */
  readonly outcome: 'done' | 'failed' | 'refused'
  readonly durationMs: number
  /** Without what upstreams and providers took; absent where a person was waited for. */
  readonly ownMs?: number
}

/** What was agreed on with one side, told when it is new. */
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
