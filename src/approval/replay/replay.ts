import type { Pseudonym } from '../../audit/event.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { Condition, Effect, Policy, ReadyRule, RequesterName } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import type { RecordedCall } from './recorded-calls.ts'

/** What the audit does not have of a call, and a rule would look at. */
export type Lack = 'arguments' | 'annotations' | 'requester' | 'usage'

/** What a policy would have decided on a recorded call; or which effects are possible, and what would tell. */
export type Replayed =
  | { readonly kind: 'decided'; readonly effect: Effect }
  | { readonly kind: 'unknown'; readonly effects: readonly Effect[]; readonly lacks: readonly Lack[] }

/** What is known today of what recorded calls only name. */
export interface ReplayFacts {
  /** Whether the annotations of a server may allow a call. */
  isTrusted(server: string): boolean
  /** Whom a pseudonym stands for, of those participants that the policy names. */
  participantOf(who: Pseudonym): ParticipantId | undefined
}

/**
 * Decides a recorded call by another policy. A rule that cannot be judged may have decided or not: both ways are followed,
 * and where they end alike the call is decided.
 */
export function replay(policy: Policy, recorded: RecordedCall, facts: ReplayFacts): Replayed {
  const effects = new Set<Effect>()
  const lacks = new Set<Lack>()
  const call = callFrom(recorded, facts)
  const judged = policy.rules.find((ready) => {
    const judgement = judgeRule(ready, call, recorded)
    if (judgement === false) return false
    const isKnown = typeof judgement !== 'object'
    if (!isKnown) lacks.add(judgement.lacks)
    for (const effect of isKnown ? [effectOf(ready, judgement)] : possibleEffects(ready, call)) effects.add(effect)
    if (ready.limits !== undefined && effects.has('allow')) {
      lacks.add('usage')
      effects.add('ask')
    }
    return isKnown
  })
  if (judged === undefined) effects.add(policy.default)
  const [effect, ...others] = effects
  if (others.length === 0) return { kind: 'decided', effect: effect as Effect }
  return { kind: 'unknown', effects: [...effects], lacks: [...lacks] }
}

type Judgement = boolean | 'failed' | { readonly lacks: Lack }

function effectOf({ rule }: ReadyRule, judgement: true | 'failed'): Effect {
  return judgement === 'failed' && rule.decide === 'allow' ? 'ask' : rule.decide
}

/** What a rule says if it matches. A condition that fails makes an allow an ask. */
function possibleEffects({ rule, hearsay }: ReadyRule, { trusted }: ToolCall): readonly Effect[] {
  if (rule.decide !== 'allow') return [rule.decide]
  const doubtful: readonly Effect[] = rule.when === undefined ? [] : ['ask']
  // What a server that is not trusted says of its tool cannot allow a call.
  return hearsay && !trusted ? doubtful : ['allow', ...doubtful]
}

/** A condition that is false settles it, whatever else is not known. */
function judgeRule(ready: ReadyRule, call: ToolCall, recorded: RecordedCall): Judgement {
  let result: Judgement = true
  for (const condition of ready.conditions) {
    const judgement = judgeCondition(condition, ready, call, recorded)
    if (judgement === false) return false
    if (typeof judgement === 'object' || result === true) result = judgement
  }
  return result
}

function judgeCondition(
  condition: Condition,
  { rule, hearsay }: ReadyRule,
  call: ToolCall,
  recorded: RecordedCall,
): Judgement {
  switch (condition.name) {
    case 'server':
    case 'tool':
      return condition.holds(call)
    case 'requester':
      return condition.holds(call) === true || !(rule.requester as readonly RequesterName[]).some(isGroup)
        ? condition.holds(call)
        : { lacks: 'requester' }
    case 'agents':
      return { lacks: 'requester' }
    case 'annotations':
      return { lacks: 'annotations' }
    case 'commands':
      return recorded.arguments === undefined ? { lacks: 'arguments' } : condition.holds(call)
    case 'when':
      if (hearsay) return { lacks: 'annotations' }
      if (/\brequester\b/.test(rule.when as string)) return { lacks: 'requester' }
      return recorded.arguments === undefined ? { lacks: 'arguments' } : condition.holds(call)
  }
}

/** The groups of whoever made a call are not recorded. */
function isGroup(name: RequesterName): boolean {
  return name.startsWith('group:')
}

const nobody = '' as ParticipantId

function callFrom({ who, client, server, tool, arguments: given = {} }: RecordedCall, facts: ReplayFacts): ToolCall {
  const participant = (who && facts.participantOf(who)) ?? nobody
  const trusted = facts.isTrusted(server)
  return { requester: { participant, client }, server, tool, arguments: given, definition: '', trusted }
}

/** The participants that the rules of a policy name. */
export function namedParticipants({ rules }: Policy): readonly ParticipantId[] {
  const names = rules.flatMap(({ rule }) => rule.requester ?? [])
  return [...new Set(names)].filter((name): name is ParticipantId => !/^(?:group|client):/.test(name))
}
