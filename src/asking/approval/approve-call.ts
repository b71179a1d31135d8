import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { Approval } from '../../approval/approval.ts'
import { decide } from '../../approval/policy/decide.ts'
import type { Decision } from '../../approval/policy/policy.ts'
import type { Change } from '../../approval/question/edit.ts'
import type { CallPreview } from '../../approval/question/preview.ts'
import { callDigest, type ToolCall } from '../../approval/tool-call.ts'
import { digest } from '../../base/canonical.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { shownText, showText } from '../../base/text/show-text.ts'
import { type Entrance, resumeWalk, type Sent, type StartedCall, walk } from '../../call/walk.ts'
import { answererNames } from '../../elicitation/answering/may-answer.ts'
import { approvalKey } from '../../mcp/meta-keys.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { RequestContext } from '../context.ts'
import { claimOnce, sameQuestion, spendAgain, spendYes } from '../rounds/ask.ts'
import type { Round } from '../rounds/round.ts'
import type { AnsweredAsk } from '../rounds/walk-state.ts'
import { askApprover, canBeAskedNow, cannotAskApprover, holdForApprover } from './ask-approver.ts'
import { fittingForm, pageClosed, takeAnswer } from './take-approval.ts'

/** An approval that a handler asks for by itself, in its own words. */
export interface HandlerDecision {
  readonly message: string
  readonly decision: Decision
}

/** A call that may only run after it was decided and, where that says so, approved. */
export interface GuardedCall<Result, Credential = undefined> {
  /** Names the approval within its request. */
  readonly key: string
  readonly call: ToolCall
  /** Left out: policy decides. */
  readonly byHandler?: HandlerDecision
  /** Gets the account that the call needs, and asks for it if it is missing. Left out: it needs none. */
  access?(): Promise<Credential>
  /** Calls the tool of a preview. Left out: it has none. */
  readonly preview?: CallPreview
  /** Called when the call waits for somebody's yes. */
  asked?(): void
  /** Runs the call, as it was asked for or as the approver edited it. Must not throw. */
  send(started: StartedCall, credential: Credential): Promise<Sent<Result>>
}

/** Where an approval stands in its walk. */
interface Place {
  readonly key: string
  readonly fingerprint: string
}

/**
 * Walks a call to its end: asks the approver by the best way there is, then runs it. Entered again after an answer, it
 * continues from there. A yes that was spent before a later question is carried by the sealed state.
 */
export async function approveCall<Result, Credential = undefined>(
  context: RequestContext,
  round: Round,
  guarded: GuardedCall<Result, Credential>,
): Promise<Result> {
  const { walk: state } = context
  const { key, call, byHandler } = guarded
  const fingerprint = fingerprintOf(byHandler)
  const place = { key, fingerprint }
  const before = sameQuestion(key, state.answered, fingerprint)
  if (before?.spentFor === callDigest(call)) return resumeSpent(context, guarded, place, before)
  // A state that is sent again starts the call again, so its second start is audited as well.
  const isStarted =
    before?.startedAs === callDigest(call) && (await claimOnce(context, `started ${state.round ?? 0} ${key}`))

  let question = sameQuestion(key, state.pending, fingerprint)?.record
  await takeAnswer(context, key)
  for (;;) {
    const outcome = await walk<Result, Credential, never>(entranceFor(context, guarded, place, question), {
      call,
      walkId: state.id,
      isStarted,
      ...(question !== undefined && { question }),
      ...byHandler,
      ...(guarded.preview !== undefined && { preview: guarded.preview }),
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
        context.attend(question)
        await ask(context, round, place, outcome)
    }
  }
}

/** Only what the handler says. A tool or rule that changed meanwhile asks again, and is not the handler's mistake. */
function fingerprintOf(byHandler?: HandlerDecision): string {
  return digest([byHandler?.decision.ruleDigest ?? '', byHandler?.message ?? ''])
}

/** Notes in the state of the walk that its call is started, and no yes was spent on it: later rounds do not start it again. */
export function noteStarted(
  { walk: state }: RequestContext,
  key: string,
  call: ToolCall,
  byHandler?: HandlerDecision,
): void {
  state.answered[key] = { fingerprint: fingerprintOf(byHandler), startedAs: callDigest(call) }
}

function entranceFor<Result, Credential>(
  context: RequestContext,
  { call, access, send, byHandler }: GuardedCall<Result, Credential>,
  { key, fingerprint }: Place,
  question: NonNullable<AnsweredAsk['record']> | undefined,
): Entrance<Result, Credential, never> {
  const { assent, walk: state, revision } = context
  return {
    approvals: assent.approvals,
    ...(access !== undefined && { access: async () => ({ kind: 'ready', credential: await access() }) as const }),
    async beforeStart({ grant }) {
      // A lasting yes is not used up, so the state that brought it is: sent again, it runs nothing (M26-11).
      const isLasting = grant?.uses.kind === 'many'
      if (isLasting && question !== undefined && isPerRequest(revision)) await spendYes(context, question)
    },
    started(running) {
      const { changes, grant } = running
      context.started.push(running)
      delete state.pending[key]
      if (grant?.uses.kind !== 'once') {
        // Decided again in each round, by today's policy and grants.
        noteStarted(context, key, call, byHandler)
        return
      }
      const record = grant.elicitation
      const spent = { fingerprint, spentFor: callDigest(call), value: changes as unknown as Json }
      state.answered[key] = { ...spent, ...(record !== undefined && { record }) }
    },
    send,
    finish: 'now',
  }
}

/** Continues a call whose yes was spent in an earlier round, before another question was asked. */
async function resumeSpent<Result, Credential>(
  context: RequestContext,
  guarded: GuardedCall<Result, Credential>,
  place: Place,
  { value, record }: AnsweredAsk,
): Promise<Result> {
  const { assent, walk: state } = context
  const { approvals } = assent
  await spendAgain(context, place.key)
  const changes = (value ?? []) as unknown as Change[]
  const asked = record && (await assent.get(record))
  const kept = asked && (await approvals.keepGrant(asked))
  if (kept?.kind !== 'yes') throw new AskRefused('failed', 'The yes to this call was deleted.', 'deleted')
  const call = withChanges(guarded.call, changes)
  const started = {
    walkId: state.id,
    call,
    changes,
    decision: guarded.byHandler?.decision ?? decide(approvals.policy, call),
    grant: kept.grant,
    given: kept.given,
  }
  const credential = (await guarded.access?.()) as Credential
  context.started.push(started)
  const outcome = await resumeWalk(entranceFor(context, guarded, place, record), started, credential)
  if (outcome.kind === 'refused') throw new AskRefused(outcome.status, outcome.message, outcome.reason)
  return outcome.result
}

function withChanges(call: ToolCall, changes: readonly Change[]): ToolCall {
  const edits = changes.map(({ name, after }) => [name, after] as const)
  return { ...call, arguments: Object.fromEntries([...Object.entries(call.arguments), ...edits]) as JsonObject }
}

/** Asks by this client, or waits for an approver who is asked elsewhere. Returns when the question is settled. */
async function ask(
  context: RequestContext,
  round: Round,
  place: Place,
  { elicitation, decision }: Extract<Approval, { kind: 'question' }>,
): Promise<void> {
  const reason = await askApprover(context, round, { ...place, elicitation })
  if (reason === undefined) return
  context.assent.events.tell({ kind: 'fallback', server: context.name, reason })
  const { requester } = elicitation
  // The person may still answer on the page that they did not want to open from this client.
  const isHandedOn = (elicitation.voting?.delegations ?? []).length > 0
  if (reason === pageClosed || isHandedOn || mayWait(decision, { requester }))
    return holdForApprover(context, round, elicitation)
  throw await cannotAskApprover(context, elicitation)
}

/** Whether the question may wait without this client: the rule says so, or names somebody else who may approve. */
function mayWait({ fallback, approvers, answer }: Decision, { requester }: Pick<ToolCall, 'requester'>): boolean {
  return fallback === 'inbox' || answer === 'inbox' || approvers.some((approver) => approver !== requester.participant)
}

/** Whether this client can be asked for the yes that a decision needs. */
function canReach(
  context: RequestContext,
  { call, byHandler }: Pick<GuardedCall<unknown>, 'call' | 'byHandler'>,
  decision: Decision,
): boolean {
  const { modes, person } = context
  const names = answererNames(person)
  if (!decision.approvers.some((approver) => names.includes(approver))) return false
  if (!canBeAskedNow(context)) return context.assumeUrl
  return modes.url || fittingForm(context, call, decision, byHandler?.message) !== undefined
}

/** Adds to a result who approved the call, why, and what they changed, so that the requester knows what ran. */
export function withApproval(
  result: CallToolResult | InputRequiredResult,
  started: Pick<StartedCall, 'changes' | 'given'>,
): CallToolResult | InputRequiredResult {
  if (!('content' in result) || !Array.isArray(result.content)) return result
  const lines = linesFor(started)
  const approval = approvalOf(started)
  if (lines.length === 0 && approval === undefined) return result
  return {
    ...result,
    content: [...result.content, ...lines.map((text) => ({ type: 'text', text }))],
    ...(approval !== undefined && { _meta: { ...result._meta, [approvalKey]: approval } }),
  } as CallToolResult
}

function linesFor({ changes, given }: Pick<StartedCall, 'changes' | 'given'>): string[] {
  const words = changes.map(({ name, after }) => `${shown(name)} is now ${shown(JSON.stringify(after))}`)
  return [
    ...(words.length > 0 ? [`The approver changed the arguments before this ran: ${words.join('; ')}.`] : []),
    ...(given?.reason === undefined ? [] : [`The approver's reason: ${shown(given.reason)}`]),
  ]
}

const shown = (text: string) => shownText(showText(text))

function approvalOf({ changes, given }: Pick<StartedCall, 'changes' | 'given'>): JsonObject | undefined {
  if (given === undefined) return undefined
  const { by, at, via, reason } = given
  return {
    approvedBy: by,
    approvedAt: at.toISOString(),
    via,
    ...(reason !== undefined && { reason }),
    ...(changes.length > 0 && { changes: changes.map((change) => ({ ...change })) as never }),
  }
}
