import { isEnough } from '../../elicitation/answering/answerers.ts'
import { requesterKey } from '../../participant/requester.ts'
import { leastProof, ruleOf } from '../policy/decide.ts'
import type { Decision } from '../policy/policy.ts'
import { approvalDigest, definitionWhere, type ToolCall } from '../tool-call.ts'
import type { GivenAs, Grant } from './grant.ts'
import { isWhere } from './where/where.ts'

/**
 * How a grant stands to a call: `elsewhere` is about other calls, `suspended` was given for another definition, `weak`
 * was given by someone, or in a way, that today's policy would not take.
 */
export type Standing = 'covers' | 'elsewhere' | 'revoked' | 'expired' | 'suspended' | 'weak' | 'spent'

/** Whether a grant speaks for this call at this moment. */
export function covers(grant: Grant, call: ToolCall, decision: Decision, now: Date): boolean {
  return standingOf(grant, call, decision, now) === 'covers'
}

/** Why a grant does not speak for a call, or that it does. A deny holds whatever became of the tool and the policy. */
export function standingOf(grant: Grant, call: ToolCall, decision: Decision, now: Date): Standing {
  if (!isAbout(grant, call, decision)) return 'elsewhere'
  if (grant.revoked !== undefined) return 'revoked'
  if (grant.expiresAt !== undefined && now >= grant.expiresAt) return 'expired'
  // The digest of the call binds it to its definition and its rule already.
  if (grant.uses.kind === 'once') return grant.uses.spent === undefined ? 'covers' : 'spent'
  if (grant.effect === 'deny') return 'covers'
  if (!isSameDefinition(grant, call)) return 'suspended'
  return isStrongEnough(grant, decision) ? 'covers' : 'weak'
}

function isAbout(grant: Grant, call: ToolCall, { ruleDigest }: Decision): boolean {
  const { requester, server, tool } = call
  if (grant.participant !== requester.participant || grant.server !== server) return false
  if (grant.client !== undefined && grant.client !== requester.client) return false
  if (grant.tool !== undefined && grant.tool !== tool) return false
  if (grant.where !== undefined && !isWhere(grant.where, call.arguments)) return false
  const { uses, effect } = grant
  if (uses.kind === 'once') {
    return uses.requester === requesterKey(requester) && uses.call === approvalDigest(call, ruleDigest)
  }
  // A yes for a client is none for the agents behind it, and a yes for some agents is none for others.
  return effect === 'deny' || isSameChain(grant.agents, requester.agents)
}

function isSameChain(given: readonly string[] = [], today: readonly string[] = []): boolean {
  return given.length === today.length && given.every((agent, index) => agent === today[index])
}

function isSameDefinition({ tool, definition, where }: Grant, call: ToolCall): boolean {
  const whole = tool === undefined ? call.serverDefinition : call.definition
  const today = where === undefined ? whole : definitionWhere(call)
  return definition !== undefined && definition === today
}

/** Whether today's policy would take this yes from the one who gave it, given the way it was. */
export function isStrongEnough({ grantedBy, given }: Pick<Grant, 'grantedBy' | 'given'>, decision: Decision): boolean {
  const { as, through, rule }: GivenAs = given ?? { as: grantedBy, through: 'client' }
  if (!isEnough(through, leastProof(decision))) return false
  // By the same rule it was asked for, and given by as many as that needs, by those who were asked later too.
  if (rule === ruleOf(decision)) return true
  return decision.quorum === undefined && decision.approvers.includes(as)
}

/** What kept grants say about a call that policy does not deny. */
export type GrantStatus =
  | { readonly status: 'granted'; readonly grant: Grant }
  | { readonly status: 'denied'; readonly grant: Grant }
  /** There was a yes, and its time is over. */
  | { readonly status: 'expired'; readonly grant: Grant }
  /** Nobody said anything that counts today; `suspended` tells of a yes that does not count any more. */
  | { readonly status: 'required'; readonly suspended?: Grant }

/** Reads grants together: any deny beats any allow, whatever their order, and doubt asks. */
export function decideByGrants(grants: readonly Grant[], call: ToolCall, decision: Decision, now: Date): GrantStatus {
  const found: Partial<Record<Standing, Grant>> = {}
  for (const grant of grants) {
    const standing = standingOf(grant, call, decision, now)
    if (standing === 'covers' && grant.effect === 'deny') return { status: 'denied', grant }
    if (grant.effect === 'allow') found[standing] ??= grant
  }
  if (found.covers !== undefined) return { status: 'granted', grant: found.covers }
  const suspended = found.suspended ?? found.weak
  if (suspended !== undefined) return { status: 'required', suspended }
  return found.expired === undefined ? { status: 'required' } : { status: 'expired', grant: found.expired }
}
