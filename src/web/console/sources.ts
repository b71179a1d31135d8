import type { Policy } from '../../approval/policy/policy.ts'

/** One server behind the gateway, as this process sees it. */
export interface ServerView {
  readonly id: string
  /** `untried`: nothing has needed it yet. `starting`: it has not answered for the first time yet. */
  readonly state: 'untried' | 'starting' | 'up' | 'down'
  readonly since: Date
  readonly restarts: number
  /** Sessions or processes, and requests under way. */
  readonly open: number
  readonly inFlight: number
  readonly revision?: string
  /** May quote the server, as may `lastLine`, the last line of its standard error. */
  readonly reason?: string
  readonly lastLine?: string
  /** The provider whose accounts it is used with. */
  readonly provider?: string
  /** Its tools as they were listed last, each with the digest of its definition; absent while no list is known. */
  readonly tools?: readonly { readonly name: string; readonly definition: string }[]
  readonly leftOut: readonly { readonly list: string; readonly name?: string; readonly reason: string }[]
}

/** What the console shows that only the process with the gateway knows. */
export interface ConsoleSources {
  servers(): readonly ServerView[]
  /** The id of this process among those that share its store. */
  readonly instance: string
  /** How far the clocks of instances may be apart, in milliseconds. */
  readonly skewMs: number
  /** Whether the settings say that this server is to be believed about its tools. */
  isTrusted(server: string): boolean
  /** Reads a policy as people write it. Throws an `AssentError` that says what is wrong with it. */
  readDraft(text: string): Promise<Policy>
}
