import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'
import { type Standing, standingOf } from './covers.ts'
import type { Grant } from './grant.ts'

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
