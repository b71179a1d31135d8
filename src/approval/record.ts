import type { AuditEntry } from '../audit/entry.ts'
import type { JsonObject } from '../base/json.ts'
import type { ApprovalRefused, Approved, Approving } from './approval.ts'
import type { ApprovalDesk } from './desk.ts'
import { ruleOf } from './policy/decide.ts'
import type { Decision } from './policy/policy.ts'
import { callDigest, type ToolCall } from './tool-call.ts'

/** Somewhat less than an audit entry may hold: the rest is for what else it says. */
const mostKeptBytes = 48 * 1_024

export const tooLargeToKeep = 'The arguments of this call must be kept for the audit, and these are too large for that.'

/** Whether the audit can hold the arguments, where the rule wants them kept: who pads them must not get past it. */
export function canBeKept(call: ToolCall, { keepArguments }: Decision): boolean {
  return !keepArguments || Buffer.byteLength(JSON.stringify(call.arguments)) <= mostKeptBytes
}

/** Every call that starts, with its rule, digests, requester, edits; the arguments themselves only where the rule keeps them. */
export async function recordStart(
  desk: ApprovalDesk,
  approved: Approved,
  { walkId, isStarted = false }: Pick<Approving, 'walkId' | 'isStarted'>,
): Promise<void> {
  if (!isStarted) await desk.audit.record(startEntry(approved, walkId))
}

/** The same without waiting. False: nothing was recorded. */
export function recordStartAtOnce(
  desk: ApprovalDesk,
  approved: Approved,
  { walkId, isStarted = false }: Pick<Approving, 'walkId' | 'isStarted'>,
): boolean {
  return isStarted || desk.audit.recordAtOnce(startEntry(approved, walkId))
}

function startEntry({ call, changes, decision, grant }: Approved, walkId: string): AuditEntry {
  // Assigned one by one, which is faster than spreads: every call is recorded.
  const data = factsOf(call, decision)
  if (grant !== undefined) data.grant = grant.id
  if (changes.length > 0) data.edited = changes.map(({ name }) => name)
  const entry: AuditEntry = { kind: 'call-started', who: call.requester.participant, about: walkId, data }
  if (!decision.keepArguments) return entry
  if (canBeKept(call, decision)) entry.keep = { arguments: call.arguments }
  // Where policy only watches: there nothing is stopped, this neither.
  else data.argumentsTooLarge = true
  return entry
}

/** Every call that is not let run, and why. */
export async function recordRefusal(
  desk: ApprovalDesk,
  { call, walkId, question, isStarted }: Pick<Approving, 'call' | 'walkId' | 'question' | 'isStarted'>,
  decision: Decision,
  { status, reason }: ApprovalRefused,
): Promise<void> {
  await desk.audit.record({
    kind: 'call-refused',
    who: call.requester.participant,
    about: walkId,
    data: {
      ...factsOf(call, decision),
      status,
      reason,
      ...(question !== undefined && { question }),
      ...(isStarted === true && { started: true }),
    },
    ...keptFrom(call, decision),
  })
}

/** A call that runs because nobody could be asked, as its rule says. */
export async function recordUnasked(
  desk: ApprovalDesk,
  { call, walkId }: Approving,
  decision: Decision,
): Promise<void> {
  const data = factsOf(call, decision)
  await desk.audit.record({ kind: 'allowed-unasked', who: call.requester.participant, about: walkId, data })
}

function factsOf(call: ToolCall, decision: Decision): JsonObject {
  const { decide, why, watched } = decision
  const { server, tool, requester, definition } = call
  // In the order in which it is spelled, so that nothing has to be sorted.
  const facts: JsonObject = {
    call: callDigest(call),
    client: requester.client,
    decided: decide,
    definition,
    rule: why.rule,
    ruleDigest: ruleOf(decision),
    server,
    tool,
  }
  if (watched) facts.watched = true
  return facts
}

function keptFrom(call: ToolCall, decision: Decision): { readonly keep?: JsonObject } {
  return decision.keepArguments && canBeKept(call, decision) ? { keep: { arguments: call.arguments } } : {}
}
