import { type Proof, proofs } from '../../elicitation/answering/answerers.ts'
import type { ToolCall } from '../tool-call.ts'
import type { Condition, Decision, Effect, Holds, Policy, ReadyRule, Why } from './policy.ts'

/** What the policy says about a call. The first matching rule wins; doubt is never an allow. */
export function decide(policy: Policy, call: ToolCall): Decision {
  return decideFrom(policy, call, 0)
}

/** Whether all conditions of a rule hold; one that cannot be judged counts as holding, and is remembered. */
export function judge({ conditions }: ReadyRule, call: ToolCall): Holds {
  let result: Holds = true
  // By index: each call asks each rule, and the iterators would be a twentieth of what a call puts on the heap.
  for (let at = 0; at < conditions.length; at += 1) {
    const holds = (conditions[at] as Condition).holds(call)
    if (holds === false) return false
    if (holds === 'failed') result = 'failed'
  }
  return result
}

function decideFrom(policy: Policy, call: ToolCall, start: number): Decision {
  const { rules } = policy
  for (let index = start; index < rules.length; index += 1) {
    const ready = rules[index] as ReadyRule
    const holds = judge(ready, call)
    if (holds === false) continue
    const decision = decisionBy(policy, ready, call, holds === 'failed')
    if (!isHearsay(ready, call)) return decision

    // A server that nobody vouches for must not talk its way to a softer rule, so its word counts only where it is
    // not softer than what the other rules say.
    const otherwise = decideFrom(policy, call, index + 1)
    const isSofter = decision.decide === 'allow' || strictness(otherwise, call) > strictness(decision, call)
    return isSofter ? otherwise : decision
  }
  return decisionByDefault(policy, call)
}

function isHearsay({ hearsay }: ReadyRule, { trusted }: ToolCall): boolean {
  return hearsay && !trusted
}

function decisionBy(policy: Policy, ready: ReadyRule, call: ToolCall, failed: boolean): Decision {
  const { rule, digest } = ready
  const effect = failed && rule.decide === 'allow' ? 'ask' : rule.decide
  const fallback = rule.fallback ?? policy.fallback
  // Running unasked on a doubt, or on a stranger's word, would be an allow.
  const isDoubtful = failed || isHearsay(ready, call)
  // Assigned one by one, which is faster than spreads: every call is decided about.
  const decision: { -readonly [Key in keyof Decision]: Decision[Key] } = {
    decide: effect,
    why: whyOf(ready, effect, failed),
    ruleDigest: digest,
    approvers: rule.approvers ?? [call.requester.participant],
    answer: rule.answer,
    editable: rule.editable,
    fallback: fallback === 'allow' && isDoubtful ? policy.fallback : fallback,
    keepArguments: rule.keepArguments,
    watched: policy.mode === 'watch',
  }
  if (ready.limits !== undefined) decision.limits = ready.limits
  if (rule.preview !== undefined) decision.previewBy = rule.preview
  if (rule.expiresMs !== undefined) decision.expiresMs = rule.expiresMs
  if (rule.quorum !== undefined) decision.quorum = rule.quorum
  if (rule.delegate !== undefined) decision.delegate = rule.delegate
  if (rule.escalate !== undefined) decision.escalate = rule.escalate
  if (rule.priority !== undefined) decision.priority = rule.priority
  if (rule.notify !== undefined) decision.notify = rule.notify
  return decision
}

function decisionByDefault(policy: Policy, call: ToolCall): Decision {
  return {
    decide: policy.default,
    why: { words: `No rule names this call, and then ${phrases[policy.default]}.` },
    ruleDigest: policy.defaultDigest,
    approvers: [call.requester.participant],
    answer: 'client',
    editable: [],
    fallback: policy.fallback,
    keepArguments: false,
    watched: policy.mode === 'watch',
  }
}

const phrases: Readonly<Record<Effect, string>> = {
  allow: 'it may run',
  ask: 'a person must approve it',
  deny: 'it is denied',
}

/** Says nothing of the arguments: the requester may read it. */
function whyOf({ rule, number }: ReadyRule, effect: Effect, failed: boolean): Why {
  if (failed) {
    const words = `Nobody can tell whether rule ${number} is about this call, and so ${phrases[effect]}.`
    return { rule: number, words, failed: true }
  }
  return { rule: number, words: rule.reason ?? `Rule ${number} says that ${phrases[effect]}.` }
}

/** Orders decisions: how many must say yes weighs most, then whose yes is needed, then how it must be given. */
function strictness(decision: Decision, { requester }: ToolCall): number {
  const { decide, approvers, fallback, quorum = 1, delegate, escalate } = decision
  if (decide !== 'ask') return decide === 'deny' ? Number.POSITIVE_INFINITY : 0
  const needsOthers = approvers.some((approver) => approver !== requester.participant)
  const proof = proofs.indexOf(leastProof(decision))
  // Others who may say yes too make a rule softer.
  const softer = (delegate === undefined ? 0 : 4) + (escalate === undefined ? 0 : 2) + (fallback === 'allow' ? 1 : 0)
  return quorum * 100 + (needsOthers ? 50 : 0) + proof * 10 + 10 - softer
}

/** The least proof that a yes must have. `inbox` also keeps the question from the client; as a proof it is a page. */
export function leastProof({ answer }: Pick<Decision, 'answer'>): Proof {
  return answer === 'inbox' ? 'page' : answer
}

/** The digest of the rule itself, whatever was shown. */
export function ruleOf({ preview, ruleDigest }: Pick<Decision, 'preview' | 'ruleDigest'>): string {
  return preview?.rule ?? ruleDigest
}
