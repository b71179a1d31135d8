import type { Duration } from '../../base/durations.ts'
import type { Proof } from '../../elicitation/answering/answerers.ts'
import type { Priority } from '../../elicitation/elicitation.ts'
import type { Hints } from './hints.ts'
import type { Effect, Fallback, Policy } from './policy.ts'

/** A policy as it is written: under `policy` in assent.yaml, or as `policy` of `createAssent`. */
export interface PolicySettings {
  /** `watch` decides and records, but never stops a call. Default: `enforce`. */
  readonly mode?: Policy['mode']
  /** For calls that no rule matches. Default: `ask`. */
  readonly default?: Effect
  /** What happens to an approval that the client cannot be asked for. Default: `inbox` in the gateway, `deny` in the library. */
  readonly fallback?: Policy['fallback']
  /**
   * Packs of rules that come with Assent, and follow the rules below: `files`, `git`, `database`, `mail`, `payments`,
   * `shell`. `{ pack, server }` limits a pack to the servers that match. Default: none.
   */
  readonly extends?: string | readonly (string | PackUse)[]
  /** The first rule that matches decides. At most 1,000. */
  readonly rules?: readonly RuleSettings[]
}

/** A pack that holds for some servers only. */
export interface PackUse {
  readonly pack: string
  readonly server: string | readonly string[]
}

/** One rule as it is written. A condition that is left out holds for every call. */
export interface RuleSettings {
  /** Names of servers; `*` stands for any text, `?` for any one character. */
  readonly server?: string | readonly string[]
  /** Names of tools, with the same wildcards. */
  readonly tool?: string | readonly string[]
  /** What the server says about its tool. A hint that is missing counts as the worse value. */
  readonly annotations?: Partial<Hints>
  /** Who asks: `local`, `subject@issuer`, `group:name` or `client:id`. */
  readonly requester?: string | readonly string[]
  /**
   * The agents that a call comes through, any of which may match: those on whose behalf it is made, and the one that sends
   * it. An agent of a space is `id@hub:space`; the wildcards are those of `server`.
   */
  readonly agents?: string | readonly string[]
  /**
   * The commands of the shell command in `args.command`, with the wildcards of `server`. A rule that allows matches only if
   * each command in it matches; one that asks or denies, if any does, or nobody can tell.
   */
  readonly commands?: string | readonly string[]
  /** A CEL expression over the call that must be true, such as `args.amount > 1000`. */
  readonly when?: string
  /** What happens to a call that matches. */
  readonly decide: Effect
  /**
   * Of a rule that allows: how many calls of one person run without asking in each window of time, such as
   * `{ calls: 20, per: 1h }`. Beyond it a call is asked about. Default: any number.
   */
  readonly limit?: {
    /** How many calls run. */
    readonly calls: number
    /** How long a window of time is. Windows begin at fixed moments in UTC. */
    readonly per: Duration
  }
  /**
   * Of a rule that allows: how much a number in the arguments may add up to in each window of time, such as
   * `{ of: args.amount, max: 500, per: 1d }`. Beyond it, and without such a number, a call is asked about.
   */
  readonly budget?: {
    /** The argument that is added up, such as `args.amount`. */
    readonly of: string
    /** What it may add up to. */
    readonly max: number
    /** How long a window of time is. Windows begin at fixed moments in UTC. */
    readonly per: Duration
  }
  /**
   * A tool of the same server that only reads, whose result is shown with the question: its name, which is then called with
   * the same arguments, or `{ tool, arguments: { path: args.path } }`. A result that changed before the call is sent asks again.
   */
  readonly preview?:
    | string
    | { readonly tool: string; readonly arguments?: Readonly<Record<string, string | number | boolean>> }
  /** Who may say yes: `local`, `subject@issuer` or `group:name`. Default: the requester. */
  readonly approvers?: string | readonly string[]
  /** Names of arguments that the approver may change. Default: none. */
  readonly editable?: string | readonly string[]
  /** How long the question stays open, at most 30 days. Default: `clocks.question`. */
  readonly expires?: Duration
  /** How many different people must say yes, at most 100. The requester's own yes does not count above 1. Default: 1. */
  readonly quorum?: number
  /** To whom an approver may hand the question on: names as in `approvers`, or `true` for anybody. Default: nobody. */
  readonly delegate?: string | readonly string[] | true
  /** Who is asked too if nobody has decided after some time. At most 10 steps. Default: nobody. */
  readonly escalate?: readonly { readonly after: Duration; readonly to: string | readonly string[] }[]
  /** Orders the inbox, and is told to channels and clients. Default: `normal`. */
  readonly priority?: Priority
  /**
   * Whom channels tell first, as in `approvers`, instead of everybody who may answer; and by which channels alone, as
   * `channel:name`. Default: everybody who may answer, by every channel.
   */
  readonly notify?: string | readonly string[]
  /**
   * The least that counts as a yes: `client`, what the client says; `channel`, a channel that checked the person; `page`, a
   * person on a page, in the inbox or at a terminal, and nothing that the client says settles it; `passkey`, a yes signed
   * with a passkey. `inbox`: as `page`, and the client is not asked at all. Default: `client`.
   */
  readonly answer?: Proof | 'inbox'
  /** Default: the policy's. `allow` cannot be combined with `approvers`, or with another `answer` than `client`. */
  readonly fallback?: Fallback
  /** Keeps the arguments in the audit in full, not only their digest. Default: false. */
  readonly keepArguments?: boolean
  /** Words for people: shown to the approver, and to the requester of a call that is denied. */
  readonly reason?: string
}

/** Every setting of a policy. The compiler holds this table to the type, and the reader knows no other settings. */
export const policySettings = {
  mode: true,
  default: true,
  fallback: true,
  extends: true,
  rules: true,
} as const satisfies Record<keyof PolicySettings, true>

/** Every setting of a rule, by what it is for, held to the type in the same way. */
export const ruleSettings = {
  server: 'condition',
  tool: 'condition',
  annotations: 'condition',
  requester: 'condition',
  agents: 'condition',
  commands: 'condition',
  when: 'condition',
  decide: 'decision',
  limit: 'decision',
  budget: 'decision',
  preview: 'asking',
  approvers: 'asking',
  editable: 'asking',
  expires: 'asking',
  quorum: 'asking',
  delegate: 'asking',
  escalate: 'asking',
  priority: 'asking',
  notify: 'asking',
  answer: 'asking',
  fallback: 'asking',
  keepArguments: 'decision',
  reason: 'decision',
} as const satisfies Record<keyof RuleSettings, 'condition' | 'decision' | 'asking'>
