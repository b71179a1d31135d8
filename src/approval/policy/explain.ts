import { formatDuration } from '../../base/durations.ts'
import type { ToolCall } from '../tool-call.ts'
import { decide, judge } from './decide.ts'
import type { Decision, Effect, Policy, ReadyRule, Rule } from './policy.ts'

/** What one rule has to do with a call. */
export interface RuleExplained {
  /** Counted from 1. */
  readonly rule: number
  readonly decide: Effect
  readonly matched: boolean
  /** Whether it is the one that decided. */
  readonly decided: boolean
  /** For whoever writes the policy: may hold parts of the arguments. */
  readonly words: string
}

/** What a policy says about a call, and what every rule has to do with it. */
export interface Explained {
  readonly decision: Decision
  readonly rules: readonly RuleExplained[]
}

/** Tells why a call would meet what it would meet, rule by rule, without anything happening. */
export function explain(policy: Policy, call: ToolCall): Explained {
  const decision = decide(policy, call)
  return { decision, rules: policy.rules.map((ready) => explainRule(ready, call, decision.why.rule)) }
}

function explainRule(ready: ReadyRule, call: ToolCall, decider: number | undefined): RuleExplained {
  const { number, rule } = ready
  const holds = judge(ready, call)
  const decided = number === decider
  return { rule: number, decide: rule.decide, matched: holds !== false, decided, words: wordsFor(ready, call, decider) }
}

function wordsFor(ready: ReadyRule, call: ToolCall, decider: number | undefined): string {
  const condition = ready.conditions.find((condition) => condition.holds(call) !== true)
  if (condition?.holds(call) === false) return `Does not match: ${condition.because(call)}.`

  const doubt = condition === undefined ? '' : ` (${condition.because(call)})`
  if (ready.number === decider) return `Matches, and decides${doubt}.`
  if (decider === undefined || ready.number < decider) {
    return `Matches${doubt}, but only by the word of a server that is not trusted, which cannot make a call easier.`
  }
  return `Matches${doubt}, but rule ${decider} comes first.`
}

/** The settings of a rule that say something, by name, in the order in which people read them. */
export function ruleWords(rule: Rule): Readonly<Record<string, string | undefined>> {
  const listed = (names: readonly string[] | undefined) => (names?.length ? names.join(', ') : undefined)
  const { annotations, delegate, escalate, limit, budget } = rule
  return {
    server: listed(rule.server),
    tool: listed(rule.tool),
    requester: listed(rule.requester),
    agents: listed(rule.agents),
    annotations:
      annotations &&
      Object.entries(annotations)
        .map((hint) => hint.join(' '))
        .join(', '),
    commands: listed(rule.commands),
    when: rule.when,
    limit: limit && `${limit.calls} calls in ${formatDuration(limit.perMs)}, then ask`,
    budget: budget && `${budget.of} up to ${budget.max} in ${formatDuration(budget.perMs)}, then ask`,
    preview: rule.preview && previewWords(rule.preview),
    approvers: listed(rule.approvers),
    quorum: rule.quorum?.toString(),
    delegate: delegate === true ? 'anybody' : listed(delegate),
    escalate: escalate?.map(({ afterMs, to }) => `after ${formatDuration(afterMs)} to ${to.join(', ')}`).join('; '),
    answer: rule.answer === 'client' ? undefined : rule.answer,
    priority: rule.priority,
    editable: listed(rule.editable),
    expires: rule.expiresMs === undefined ? undefined : formatDuration(rule.expiresMs),
    fallback: rule.fallback,
    keepArguments: rule.keepArguments ? 'true' : undefined,
    reason: rule.reason,
  }
}

function previewWords({ tool, arguments: mapped }: NonNullable<Rule['preview']>): string {
  if (mapped === undefined) return `${tool} with the same arguments`
  return `${tool} with ${Object.entries(mapped)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')}`
}
