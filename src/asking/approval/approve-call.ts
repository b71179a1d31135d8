import type { Approval, Approved } from '../../approval/approval.ts'
import type { Grant } from '../../approval/grant/grant.ts'
import type { Decision } from '../../approval/policy/policy.ts'
import { formForClient } from '../../approval/question/ask-approval.ts'
import type { Change } from '../../approval/question/edit.ts'
import { callDigest, type ToolCall } from '../../approval/tool-call.ts'
import { digest } from '../../base/canonical.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { type Sent, walk } from '../../call/walk.ts'
import { answererNames } from '../../elicitation/answering/answerers.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { RequestContext } from '../context.ts'
import { sameQuestion, spendAgain, spendYes } from '../rounds/ask.ts'
import type { Round } from '../rounds/round.ts'
import type { AnsweredAsk } from '../rounds/walk-state.ts'
import { askApprover, canBeAskedNow } from './ask-approver.ts'
import { cannotAskApprover, holdForApprover } from './hold-for-approver.ts'
import { takeAnswer } from './take-approval.ts'

/** What approving a call asks for when its handler says so itself. */
export interface HandlerDecision {
  readonly message: string
  readonly decision: Decision
}

/** A call that wants to run, and what to do when it may. */
export interface GuardedCall<Result, Credential = undefined> {
  readonly key: string
  readonly call: ToolCall
  /** Left out: policy decides. */
  readonly byHandler?: HandlerDecision
  /** What the call needs besides the yes; asks for it by itself. Left out: nothing. */
  access?(): Promise<Credential>
  /** Told when the call waits for somebody's yes. */
  asked?(): void
  /** Runs the call: as it was asked for, or as the approver edited it. Must not throw. */
  send(call: ToolCall, changes: readonly Change[], credential: Credential): Promise<Sent<Result>>
}

/**
 * Walks a call to its end: asks whoever may approve it by the best way there is, and runs it. Entered again after an
 * answer, it goes on from there; a yes that was spent before a later question is carried by the sealed state.
 */
export async function approveCall<Result, Credential = undefined>(
  context: RequestContext,
  round: Round,
  guarded: GuardedCall<Result, Credential>,
): Promise<Result> {
  const { assent, walk: state, revision } = context
  const { key, call, byHandler, send } = guarded
  // Only what the handler says of it: what became of the tool or its rule meanwhile asks again, and is no mistake.
  const fingerprint = digest([byHandler?.decision.ruleDigest ?? '', byHandler?.message ?? ''])
  const before = sameQuestion(key, state.answered, fingerprint)
  if (before?.spentFor === callDigest(call)) return goOn(context, guarded, before)

  let question = sameQuestion(key, state.pending, fingerprint)?.record
  let spent: Grant | undefined
  await takeAnswer(context, key)
  const entrance = {
    approvals: {
      ...assent.approvals,
      async start(approved: Approved, name: string) {
        // A lasting yes is not used up, so the state that brought it is: sent again, it runs nothing (M26-11).
        const isLasting = approved.grant?.uses.kind === 'many'
        if (isLasting && question !== undefined && isPerRequest(revision)) await spendYes(context, question)
        const started = await assent.approvals.start(approved, name)
        if (started.kind === 'started') spent = started.grant
        return started
      },
    },
    access: async () => ({ kind: 'ready', credential: (await guarded.access?.()) as Credential }) as const,
    send: (approved: ToolCall, credential: Credential, changes: readonly Change[]) => {
      delete state.pending[key]
      // What policy or a lasting yes allows is decided anew in the next round; what was spent cannot be.
      if (spent?.uses.kind === 'once') {
        const record = spent.elicitation
        const kept = { fingerprint, spentFor: callDigest(call), value: changes as unknown as Json }
        state.answered[key] = { ...kept, ...(record !== undefined && { record }) }
      }
      return send(approved, changes, credential)
    },
  }
  for (;;) {
    const outcome = await walk<Result, Credential, never>(entrance, {
      call,
      walkId: state.id,
      ...(question !== undefined && { question }),
      ...byHandler,
      mayAsk: (decision) => mayWait(decision, call) || canReach(context, guarded, decision),
    })
    switch (outcome.kind) {
      case 'done':
        return outcome.result
      case 'refused':
        throw new AskRefused(outcome.status, outcome.message, outcome.reason)
      case 'question':
        guarded.asked?.()
        question = outcome.elicitation.id
        await ask(context, round, { key, fingerprint }, outcome)
    }
  }
}

/** The call was let run in an earlier round, and its handler asked something else then. */
async function goOn<Result, Credential>(
  context: RequestContext,
  { key, call, access, send }: GuardedCall<Result, Credential>,
  { value, record }: AnsweredAsk,
): Promise<Result> {
  const { assent, walk: state } = context
  await spendAgain(context, key)
  const changes = (value ?? []) as unknown as Change[]
  const approved = { call: withChanges(call, changes) }
  const { result, outcome } = await send(approved.call, changes, (await access?.()) as Credential)
  const asked = record && (await context.assent.get(record))
  const kept = asked && (await assent.approvals.keepGrant(asked))
  await assent.approvals.finish(approved, state.id, kept?.kind === 'yes' ? kept.grant : undefined, outcome)
  return result
}

function withChanges(call: ToolCall, changes: readonly Change[]): ToolCall {
  const edits = changes.map(({ name, after }) => [name, after] as const)
  return { ...call, arguments: Object.fromEntries([...Object.entries(call.arguments), ...edits]) as JsonObject }
}

/** Asks by this client, or waits for whoever can be asked elsewhere. Comes back when the question is settled. */
async function ask(
  context: RequestContext,
  round: Round,
  place: { readonly key: string; readonly fingerprint: string },
  { elicitation, decision }: Extract<Approval, { kind: 'question' }>,
): Promise<void> {
  const reason = await askApprover(context, round, { ...place, elicitation })
  if (reason === undefined) return
  context.assent.events.tell({ kind: 'fallback', server: context.name, reason })
  const { requester } = elicitation
  if (mayWait(decision, { requester })) return holdForApprover(context, round, elicitation)
  throw await cannotAskApprover(context, elicitation)
}

/** Whether the question may wait where this client is not needed: the rule says so, or names somebody else who may say yes. */
function mayWait({ fallback, approvers }: Decision, { requester }: Pick<ToolCall, 'requester'>): boolean {
  return fallback === 'inbox' || approvers.some((approver) => approver !== requester.participant)
}

/** Whether this client can be asked for the yes that a decision wants. */
function canReach(
  context: RequestContext,
  { call, byHandler }: Pick<GuardedCall<unknown>, 'call' | 'byHandler'>,
  decision: Decision,
): boolean {
  const { modes, person } = context
  const names = answererNames(person)
  if (!decision.approvers.some((approver) => names.includes(approver))) return false
  if (!canBeAskedNow(context)) return context.assumeUrl
  return modes.url || (modes.form && formForClient(call, decision, byHandler?.message) !== undefined)
}
