import type { Answerer, Answerers, EscalationStep, Proof } from '../../elicitation/answering/answerers.ts'
import type { Priority } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { ToolCall } from '../tool-call.ts'
import type { Hints } from './hints.ts'

/** What happens to a call. */
export type Effect = 'allow' | 'ask' | 'deny'

/** What becomes of an approval that the requester's client cannot be asked for. */
export type Fallback = 'inbox' | 'deny' | 'allow'

/** Whom a rule is about: a participant, anyone in a group, or whoever comes through a client. */
export type RequesterName = ParticipantId | `group:${string}` | `client:${string}`

/** How many calls of one person a rule lets run in each window of time before it asks. */
export interface CallLimit {
  readonly calls: number
  readonly perMs: number
}

/** How much an argument may add up to over the calls of one person in each window of time before a rule asks. */
export interface AmountLimit {
  /** The path of the argument, such as `args.amount`. */
  readonly of: string
  readonly max: number
  readonly perMs: number
}

/** The tool of the same server whose result is shown before a call is approved. */
export interface PreviewRule {
  readonly tool: string
  /** Each a path such as `args.path`, a number or a flag; absent: the same arguments as the call's. */
  readonly arguments?: Readonly<Record<string, string | number | boolean>>
}

/** What a preview showed, or why it did not; kept with the question. */
export interface ShownPreview {
  readonly tool: string
  /** The digest of the rule, which `ruleDigest` of the decision then is not. */
  readonly rule: string
  /** What the server wrote. */
  readonly text?: string
  /** How many characters of it are not shown. */
  readonly leftOut?: number
  /** May hold what the server wrote. */
  readonly problem?: string
}

/** The limits of a rule that allows. */
export interface RuleLimits {
  readonly limit?: CallLimit
  readonly budget?: AmountLimit
  /** Equal for rules about the same calls, so that raising a limit does not start its count anew. */
  readonly key: string
}

/** One rule as it was read: what it is about, and what it says. An absent condition holds for every call. */
export interface Rule {
  /** Globs, any of which may match. */
  readonly server?: readonly string[]
  readonly tool?: readonly string[]
  readonly annotations?: Partial<Hints>
  readonly requester?: readonly RequesterName[]
  /** Globs, any of which may match any agent that the call comes through. */
  readonly agents?: readonly string[]
  /** Globs over the commands of `args.command`: an allow wants each of them matched, an ask or a deny any of them. */
  readonly commands?: readonly string[]
  /** A CEL expression over the call. */
  readonly when?: string
  readonly decide: Effect
  readonly limit?: CallLimit
  readonly budget?: AmountLimit
  readonly preview?: PreviewRule
  /** Absent: the requester. */
  readonly approvers?: readonly Answerer[]
  /** Names of arguments that the approver may change. */
  readonly editable: readonly string[]
  readonly expiresMs?: number
  readonly answer: Proof | 'inbox'
  /** Absent: the policy's. */
  readonly fallback?: Fallback
  /** How many different people must say yes; absent: one. */
  readonly quorum?: number
  /** To whom an approver may hand the question on; `true`: to anybody; absent: to nobody. */
  readonly delegate?: Answerers['delegate']
  /** Who is asked too when it stays open, soonest first. */
  readonly escalate?: readonly EscalationStep[]
  /** Absent: normal. */
  readonly priority?: Priority
  /** Whom channels tell, and `channel:name` for the channels that do. Absent: everybody who may answer, by all. */
  readonly notify?: readonly string[]
  readonly keepArguments: boolean
  /** Words for people. */
  readonly reason?: string
}

/** Whether a condition holds for a call; `failed`: nobody can tell. */
export type Holds = boolean | 'failed'

/** One condition of a rule, ready to be judged. */
export interface Condition {
  readonly name: 'server' | 'tool' | 'requester' | 'agents' | 'annotations' | 'commands' | 'when'
  holds(call: ToolCall): Holds
  /** Why it does not hold for this call, or why nobody can tell; for whoever writes the policy, never for the requester. */
  because(call: ToolCall): string
}

/** A rule with its conditions, cheapest first. */
export interface ReadyRule {
  readonly rule: Rule
  readonly number: number
  readonly digest: string
  /** Whether it looks at what the server says of its tool. */
  readonly hearsay: boolean
  readonly limits?: RuleLimits
  /** The pack that it comes from; absent: from the policy's own rules. */
  readonly pack?: string
  readonly conditions: readonly Condition[]
}

/** Ordered rules, checked and ready; the first that matches decides. */
export interface Policy {
  /** `watch`: decide and record, never stop a call. */
  readonly mode: 'enforce' | 'watch'
  /** For what no rule names. */
  readonly default: Effect
  readonly fallback: Exclude<Fallback, 'allow'>
  readonly rules: readonly ReadyRule[]
  readonly defaultDigest: string
  /** Equal for policies that say the same in the same order. */
  readonly digest: string
}

/** What a policy says about one call, and why. */
export interface Decision {
  readonly decide: Effect
  readonly why: Why
  /** Digest of the rule that decided, or of the default; together with what was shown, where there is a preview. */
  readonly ruleDigest: string
  /** What must be shown with the question. */
  readonly previewBy?: PreviewRule
  readonly preview?: ShownPreview
  /** Who may approve; never empty. */
  readonly approvers: readonly Answerer[]
  readonly answer: Proof | 'inbox'
  readonly editable: readonly string[]
  readonly expiresMs?: number
  /** As in the rule. */
  readonly quorum?: number
  readonly delegate?: Answerers['delegate']
  readonly escalate?: readonly EscalationStep[]
  readonly priority?: Priority
  /** As in the rule. */
  readonly notify?: readonly string[]
  readonly fallback: Fallback
  readonly keepArguments: boolean
  /** Of an allow: what must be taken of them before the call is sent. */
  readonly limits?: RuleLimits
  /** Whether the policy only watches: the call goes on, whatever was decided. */
  readonly watched: boolean
  /** Asked for by the one who serves the tool, whatever the policy says. */
  readonly byHandler?: true
}

/** Why it was decided so, in a number for machines and in words for people. */
export interface Why {
  /** Counted from 1; absent: no rule named the call. */
  readonly rule?: number
  readonly words: string
  /** The condition of the rule could not be judged. */
  readonly failed?: true
  /** The rule allows the call, but its limit is reached. */
  readonly limited?: true
}
