import { type ApprovalRefused, alreadyRun, alwaysDenied, deniedBy, paused, refused } from './approval.ts'
import type { ApprovalDesk } from './desk.ts'
import { decideByGrants, isStrongEnough } from './grant/covers.ts'
import type { Grant } from './grant/grant.ts'
import { isPause } from './grant/pause.ts'
import { decide } from './policy/decide.ts'
import type { Decision } from './policy/policy.ts'
import { recordRefusal } from './record.ts'
import type { ToolCall } from './tool-call.ts'

/** A call that is on record as started, and what let it run. */
export interface Running {
  readonly walkId: string
  /** As it was asked for, or as the approver edited it. */
  readonly call: ToolCall
  /** By the server's own code or by policy, when it started. */
  readonly decision: Decision
  readonly grant?: Grant
}

/**
 * Whether a started call may still act. Minutes may lie between its start and the request that acts: a person connects an
 * account or answers what the upstream asked. Returns why not, which is then in the audit.
 */
export async function lookAgain(desk: ApprovalDesk, running: Running): Promise<ApprovalRefused | undefined> {
  const { call, grant } = running
  const [lasting, kept] = await Promise.all([
    desk.store.listFor(call.requester.participant, call.server, call.tool),
    grant && desk.store.get(grant.id),
  ])
  const today = running.decision.byHandler ? running.decision : decide(desk.policy(), call)
  const refusal = lasting.some(isPause) ? paused : refusalBy(desk, running, { today, lasting, kept })
  if (refusal !== undefined) await recordRefusal(desk, { ...running, isStarted: true }, today, refusal)
  return refusal
}

interface Found {
  readonly today: Decision
  readonly lasting: readonly Grant[]
  /** The grant that let it run, as it stands now. */
  readonly kept: Grant | undefined
}

function refusalBy(desk: ApprovalDesk, running: Running, found: Found): ApprovalRefused | undefined {
  const { today, lasting, kept } = found
  const spent = kept?.uses.kind === 'once' ? kept.uses.spent : undefined
  // What a handler asks approval for is its own rest, and that has no end of its own on record.
  if (spent?.outcome !== undefined && !today.byHandler) return alreadyRun(spent)
  if (today.watched) return undefined
  if (today.decide === 'deny') return deniedBy(today)
  const byGrants = decideByGrants(lasting, running.call, today, desk.clock.now())
  if (byGrants.status === 'denied') return alwaysDenied
  if (today.limits === undefined && (today.decide === 'allow' || byGrants.status === 'granted')) return undefined
  if (today.limits !== undefined && isCounted(running, today)) return undefined
  return isStillApproved(running, found) ? undefined : approvedNoMore
}

/** Whether it was counted by the limits of today's rule when it started. */
function isCounted({ decision, grant }: Running, { ruleDigest }: Decision): boolean {
  return grant === undefined && decision.decide === 'allow' && decision.ruleDigest === ruleDigest
}

/** Whether the yes that was spent on a call would be enough under today's rule. */
function isStillApproved({ walkId, decision, grant }: Running, { today, kept }: Found): boolean {
  if (grant === undefined) return ranUnasked(decision) && today.fallback === 'allow'
  if (kept?.uses.kind !== 'once' || kept.revoked !== undefined) return false
  return kept.uses.spent?.walk === walkId && isStrongEnough(kept, today)
}

/** Nobody could be asked when it started, and its rule let it run then. */
function ranUnasked({ decide, watched }: Decision): boolean {
  return decide === 'ask' && !watched
}

const approvedNoMore = refused(
  'denied',
  'approval-outdated',
  'What allowed this call was taken back, or its rule changed, before it was done. Make the call again to have it decided again.',
)
