import type { Answerer, Proof } from '../../elicitation/answering/answerers.ts'
import type { ElicitationId } from '../../elicitation/elicitation.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import { requesterKey } from '../../participant/requester.ts'
import { ruleOf } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { type Choice, isYes, type Reach } from '../question/choices.ts'
import { approvalDigest, definitionWhere, type ToolCall } from '../tool-call.ts'
import type { Grant, GrantId } from './grant.ts'
import { wheresFor } from './where/where.ts'

/** An approval that was answered: by whom, in which capacity, and which way. */
export interface AnsweredApproval {
  readonly elicitation: ElicitationId
  readonly by: ParticipantId
  /** The name among the approvers that let them answer. */
  readonly as: Answerer
  readonly through: Proof
  /** When they answered. */
  readonly at: Date
  /** How long a yes for one call may stay unspent. */
  readonly unspentMs: number
}

const lengths: Readonly<Record<Reach['lasts'], number | undefined>> = {
  hour: 3_600_000,
  day: 86_400_000,
  revoked: undefined,
}

/** The id of the one grant that a question can bring, so that making it twice is harmless. */
export function grantIdFor(elicitation: ElicitationId): GrantId {
  return `grant-${elicitation}` as GrantId
}

/** What a choice lastingly means for this call, as edited. Undefined for a plain deny, which means nothing beyond itself. */
export function grantFrom(
  approved: AnsweredApproval,
  choice: Choice,
  call: ToolCall,
  decision: Decision,
): Grant | undefined {
  if (choice.kind === 'deny' || choice.kind === 'delegate') return undefined
  const reach: Reach = choice.kind === 'allow_once' ? { scope: 'tool', lasts: 'revoked', client: 'this' } : choice
  const isOnce = choice.kind === 'allow_once'
  const lastsMs = isOnce ? approved.unspentMs : lengths[reach.lasts]
  const { agents = [] } = call.requester
  const where = reach.level === undefined ? undefined : wheresFor(call)[reach.level - 1]
  // A pattern that nobody can make out again is no yes to anything.
  if (reach.level !== undefined && where === undefined) return undefined
  const whole = reach.scope === 'tool' ? call.definition : call.serverDefinition
  const definition = where === undefined ? whole : definitionWhere(call)
  return {
    id: grantIdFor(approved.elicitation),
    version: 1,
    effect: isYes(choice) ? 'allow' : 'deny',
    participant: call.requester.participant,
    ...(reach.client === 'this' && { client: call.requester.client }),
    ...(choice.kind === 'always_allow' && agents.length > 0 && { agents }),
    server: call.server,
    ...(reach.scope === 'tool' && { tool: call.tool }),
    ...(where !== undefined && { where }),
    ...(definition !== undefined && { definition }),
    uses: isOnce
      ? { kind: 'once', requester: requesterKey(call.requester), call: approvalDigest(call, decision.ruleDigest) }
      : { kind: 'many' },
    grantedBy: approved.by,
    given: { as: approved.as, through: approved.through, ...(isOnce && { rule: ruleOf(decision) }) },
    elicitation: approved.elicitation,
    createdAt: approved.at,
    ...(lastsMs !== undefined && { expiresAt: new Date(approved.at.getTime() + lastsMs) }),
  }
}
