import type { Elicitation } from '../elicitation/elicitation.ts'
import { BadQuestion, TooManyOpen } from '../elicitation/errors.ts'
import { requesterKey } from '../participant/requester.ts'
import {
  type Approval,
  type ApprovalRefused,
  type Approved,
  type Approving,
  alreadyRun,
  alwaysDenied,
  deniedBy,
  paused,
  refused,
  unlessTheyAsk,
} from './approval.ts'
import { asApproved } from './as-approved.ts'
import type { ApprovalDesk } from './desk.ts'
import { decideByGrants } from './grant/covers.ts'
import type { Grant } from './grant/grant.ts'
import { grantIdFor } from './grant/grant-from.ts'
import { isFullYes, keepGrant } from './grant/keep-grant.ts'
import { isPause } from './grant/pause.ts'
import { type Portion, withinLimits } from './limits/limits.ts'
import { decide } from './policy/decide.ts'
import type { Decision, Policy } from './policy/policy.ts'
import { askApproval } from './question/ask-approval.ts'
import { previewChanged, withPreview } from './question/preview.ts'
import { approvalIn } from './question/subject.ts'
import { canBeKept, recordRefusal, recordStartAtOnce, recordUnasked, tooLargeToKeep } from './record.ts'
import { policyChanged } from './reload.ts'
import { recordStartWithin } from './start.ts'
import { approvalDigest, type ToolCall } from './tool-call.ts'

/** Decides a call anew, by today's policy and what people said before. Entered again, it finds what was answered meanwhile. */
export async function approve(desk: ApprovalDesk, approving: Approving): Promise<Approval> {
  const allowed = decisionOn(approving, desk.policy())
  const decision = allowed.limits === undefined ? allowed : await withinLimits(desk, approving, allowed)
  const approval = await decideOn(desk, approving, decision)
  // What runs is recorded when it starts; what does not run is recorded here.
  if (approval.kind === 'refused') await recordRefusal(desk, approving, decision, approval)
  return approval
}

function decisionOn({ call, decision, decided }: Approving, policy: Policy): Decision {
  if (decision !== undefined) return decision
  return decided?.policy === policy ? decided.decision : decide(policy, call)
}

async function decideOn(desk: ApprovalDesk, approving: Approving, decided: Decision): Promise<Approval> {
  const { call, question } = approving
  // Before all else: whatever policy and people say by now, what ran does not run again.
  const before = question && ranBefore(await desk.store.get(grantIdFor(question)), approving.walkId)
  if (before !== undefined) return before
  const lasting = await desk.store.listFor(call.requester.participant, call.server, call.tool)
  const first = decidedFirst(desk, call, decided, lasting)
  if (first !== undefined) return first

  const byGrants = decideByGrants(lasting, call, decided, desk.clock.now())
  // A lasting yes may be older than the limit: beyond it only a yes to this very call counts.
  const mayLast = approving.decision === undefined && decided.why.limited === undefined
  const lastingYes = mayLast && byGrants.status === 'granted' ? byGrants.grant : undefined
  // Nothing is shown to nobody.
  const isShown = question !== undefined || lastingYes === undefined
  const isPreviewed = isShown && decided.previewBy !== undefined
  const decision = isPreviewed ? await withPreview(call, decided, approving.preview) : decided
  const asked = question && (await desk.questions.get(question))
  // Nobody is to say yes to what the server showed before.
  if (asked?.state.kind === 'open' && isPreviewed && !isAbout(asked, call, decision)) {
    await desk.questions.withdrawAsObsolete(asked.id, previewChanged)
    return ask(desk, approving, decision)
  }
  // Before what policy and lasting grants allow: a no to this very call is a no, and what was edited runs as edited.
  const said = asked?.state.kind === 'answered' ? await answered(desk, approving, asked, decision) : undefined
  if (said !== undefined) return said
  if (decision.decide === 'allow') {
    // A yes that was given beyond the limit is used up first: it must not be left for another call.
    const yes = decision.limits && (await unspent(desk, approving, decision))
    return yes ?? { kind: 'approved', call, changes: [], decision }
  }
  if (lastingYes !== undefined) return { kind: 'approved', call, changes: [], decision, grant: lastingYes }
  return (
    (asked && unanswered(asked, call, decision)) ??
    (await unspent(desk, approving, decision)) ??
    ask(desk, approving, decision)
  )
}

/** What holds whatever a person says to the call: a pause, a policy that only watches or denies, a lasting no. */
function decidedFirst(
  desk: ApprovalDesk,
  call: ToolCall,
  decision: Decision,
  lasting: readonly Grant[],
): Approval | undefined {
  if (lasting.some(isPause)) return paused
  if (decision.watched) return { kind: 'approved', call, changes: [], decision }
  if (decision.decide === 'deny') return deniedBy(decision)
  if (!canBeKept(call, decision)) return refused('denied', 'too-large', tooLargeToKeep)
  return decideByGrants(lasting, call, decision, desk.clock.now()).status === 'denied' ? alwaysDenied : undefined
}

/** A yes for one call runs it once: the same walk, sent again because its reply was lost, is told how that ended. */
function ranBefore(grant: Grant | undefined, walk: string): ApprovalRefused | undefined {
  return grant?.uses.kind === 'once' && grant.uses.spent?.walk === walk ? alreadyRun(grant.uses.spent) : undefined
}

/** What the person said to the question of this walk; undefined: it counts no more, as if nobody had been asked. */
async function answered(
  desk: ApprovalDesk,
  { call, walkId }: Approving,
  asked: Elicitation,
  decision: Decision,
): Promise<Approval | undefined> {
  const kept = await keepGrant(desk, asked)
  if (kept.kind === 'no') return kept.refusal
  return ranBefore(kept.grant, walkId) ?? approvedBy(desk, kept.grant, asked, call, decision)
}

/** What became of the question of this walk, if not an answer; undefined: it is as if it had not been asked. */
function unanswered(asked: Elicitation, call: ToolCall, decision: Decision): Approval | undefined {
  switch (asked.state.kind) {
    case 'open':
      // A yes to another call, or for another rule, would not count for this one.
      return isAbout(asked, call, decision) ? { kind: 'question', elicitation: asked, decision } : undefined
    case 'expired':
      return refused(
        'expired',
        'unanswered',
        'Nobody answered in time, so nothing ran. Tell the person, and call again only if they ask for it.',
      )
    case 'failed':
      return refused('failed', 'failed', `It could not be asked: ${asked.state.reason}`)
    case 'withdrawn':
      if (asked.state.reason === policyChanged || asked.state.reason === previewChanged) return undefined
      return refused('cancelled', 'withdrawn', `The question was taken back, so nothing ran. ${unlessTheyAsk}`)
    case 'answered':
      return undefined
  }
}

function isAbout(asked: Elicitation, call: ToolCall, { ruleDigest }: Decision): boolean {
  const about = approvalIn(asked)
  return (
    about !== undefined && approvalDigest(about.call, about.decision.ruleDigest) === approvalDigest(call, ruleDigest)
  )
}

/** A yes for this very call that nobody used yet: the answer came when the one who asked was gone. */
async function unspent(desk: ApprovalDesk, { call }: Approving, decision: Decision): Promise<Approval | undefined> {
  const digest = approvalDigest(call, decision.ruleDigest)
  for (const grant of await desk.store.listOnce(requesterKey(call.requester), digest)) {
    const asked = grant.elicitation && (await desk.questions.get(grant.elicitation))
    // Without its question nobody knows what the approver edited.
    const approved = asked && (await approvedBy(desk, grant, asked, call, decision))
    // An edit that cannot run must not keep the call from being asked about anew.
    if (approved?.kind === 'approved') return approved
  }
  return undefined
}

async function approvedBy(
  desk: ApprovalDesk,
  grant: Grant,
  asked: Elicitation,
  call: ToolCall,
  decision: Decision,
): Promise<Approval | undefined> {
  const now = desk.clock.now()
  if (!isFullYes(asked)) return undefined
  if (decideByGrants([grant], call, decision, now).status !== 'granted') return undefined
  return asApproved(desk, grant, asked, call, decision)
}

async function ask(desk: ApprovalDesk, approving: Approving, decision: Decision): Promise<Approval> {
  const { call, message, mayAsk } = approving
  if (mayAsk?.(decision) === false) return unasked(desk, approving, decision)
  try {
    return { kind: 'question', elicitation: await askApproval(desk, call, decision, message), decision }
  } catch (error) {
    // The words of whoever serves the tool are theirs to mend; what a requester may well send is an end like others.
    if (error instanceof TooManyOpen) return refused('denied', 'too-many-open', error.message)
    if (message === undefined && error instanceof BadQuestion) {
      return refused('denied', 'cannot-ask', `Nobody can be asked about this call. ${error.message}`)
    }
    throw error
  }
}

/** Nobody can be asked: denied, unless the rule says that then it may run, which is audited as what it is. */
async function unasked(desk: ApprovalDesk, approving: Approving, decision: Decision): Promise<Approval> {
  if (decision.fallback !== 'allow') {
    const message = `This needs a yes from a person, and this client cannot ask for it, so it is denied. Tell the person. ${unlessTheyAsk}`
    return refused('denied', 'cannot-ask', message)
  }
  await recordUnasked(desk, approving, decision)
  return { kind: 'approved', call: approving.call, changes: [], decision }
}

/** A call that policy alone lets run, and whose start is on record. */
export type BegunByPolicy = Omit<Approved, 'kind'> & {
  readonly kind: 'begun'
  /** What it took of the limits of its rule. */
  readonly taken?: readonly Portion[]
}

/** How beginning a call ended: it runs now, by policy alone, or what else there is to do first. */
export type BegunCall = BegunByPolicy | Approval

/**
 * Approves a call and starts it. The record of its start may take long, so what let it run must be looked at again before
 * it is sent. What a person's yes allows is not started here, for a yes is looked at when it is used.
 */
export async function begin(desk: ApprovalDesk, approving: Approving): Promise<BegunCall> {
  for (;;) {
    const policy = desk.policy()
    const approval = await approve(desk, approving)
    if (approval.kind !== 'approved' || approval.grant !== undefined) return approval
    if (policy !== desk.policy()) continue
    const taken = await recordStartWithin(desk, approval, approving)
    if (taken === undefined) continue
    return { ...approval, kind: 'begun', ...(taken.length > 0 && { taken }) }
  }
}

/**
 * The same in one step, in which nothing else can happen in this process: what it found holds when the call is sent right
 * after. Undefined: nothing was done, because the store must be waited for or policy alone does not let the call run.
 */
export function beginAtOnce(desk: ApprovalDesk, approving: Approving): BegunByPolicy | undefined {
  const { call, question } = approving
  const decision = decisionOn(approving, desk.policy())
  if (question !== undefined || decision.limits !== undefined) return undefined
  if (decision.decide !== 'allow' && !decision.watched) return undefined
  const lasting = desk.store.listForAtOnce(call.requester.participant, call.server, call.tool)
  if (lasting === undefined) return undefined
  const approved = decidedFirst(desk, call, decision, lasting) ?? { kind: 'approved', call, changes: [], decision }
  if (approved.kind !== 'approved' || !recordStartAtOnce(desk, approved, approving)) return undefined
  return { ...approved, kind: 'begun' }
}
