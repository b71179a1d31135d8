import { randomUUID } from 'node:crypto'
import { type Approving, approvePageName } from '../approval/approval.ts'
import type { Approvals } from '../approval/approvals.ts'
import { decide } from '../approval/policy/decide.ts'
import type { Decision } from '../approval/policy/policy.ts'
import type { ToolCall } from '../approval/tool-call.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { AssentError } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { type Entrance, type StartedCall, walk } from '../call/walk.ts'
import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { WaitOptions } from '../elicitation/wait.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { canPrompt, type HookAnswer, takesEdits, writeAnswer } from './contracts.ts'
import { callOfHook, type HookCall, inputOf } from './hook-call.ts'

/** What answering hooks needs of an Assent. */
export interface HookDesk {
  readonly approvals: Approvals
  wait(id: ElicitationId, waiting: WaitOptions): Promise<Elicitation>
  linkTo(id: ElicitationId, page: string): string
  record(entry: AuditEntry): Promise<void>
}

export interface Hooked {
  /** For whom the coding agent works. */
  readonly participant: ParticipantId
  /** How long a person may take, in milliseconds: less than the client waits for its hook. */
  readonly holdMs: number
  /** The client no longer waits. */
  readonly signal?: AbortSignal
  /** Told of what keeps a call from being decided. */
  readonly onError?: (error: unknown) => void
}

/**
 * Decides about one call of a coding agent, and holds it while a person decides. Never rejects, and whatever fails is a
 * deny. The client runs the tool itself, so the audit has what was answered and never how the call ended.
 */
export async function answerHook(desk: HookDesk, hook: HookCall, hooked: Hooked): Promise<JsonObject> {
  try {
    return writeAnswer(hook, await answerFor(desk, hook, hooked))
  } catch (error) {
    hooked.onError?.(error)
    return failedHook(hook, error)
  }
}

/** The answer where nothing could be decided. */
export function failedHook(hook: HookCall, error: unknown): JsonObject {
  const why = error instanceof AssentError ? error.message : 'Something failed; its log says what.'
  const reason = `Assent could not decide about this call, so it must not run. ${why} Tell the person.`
  return writeAnswer(hook, { kind: 'deny', reason })
}

async function answerFor(desk: HookDesk, hook: HookCall, { participant, holdMs, signal }: Hooked): Promise<HookAnswer> {
  const { approvals } = desk
  const call = callOfHook(hook, participant)
  const walkId = randomUUID()
  const until = performance.now() + holdMs
  let question: ElicitationId | undefined
  for (;;) {
    const { policy } = approvals
    const decision = decisionFor(hook, decide(policy, call))
    const decided = { policy, decision }
    const approving = { call, walkId, decided, ...(question !== undefined && { question }) }
    const outcome = await walk(entranceTo(approvals), approving)
    if (outcome.kind === 'refused') return { kind: 'deny', reason: outcome.message }
    if (outcome.kind === 'done') return record(desk, approving, hook, allowed(hook, outcome.result))
    question = outcome.elicitation.id
    const timeoutMs = Math.max(0, until - performance.now())
    const { state } = await desk.wait(question, { timeoutMs, ...(signal && { signal }) })
    // A yes is not spent on a client that is gone: the same call, made again, finds it.
    if (state.kind === 'open' || signal?.aborted) {
      return record(desk, approving, hook, unanswered(desk, hook, call, outcome))
    }
  }
}

/** Nothing is offered for editing that the client could not take back. */
function decisionFor(hook: HookCall, decision: Decision): Decision {
  const editable = decision.editable.filter((name) => takesEdits(hook) && Object.hasOwn(hook.input, name))
  return { ...decision, editable }
}

/** The client sends the call itself, after the hook has answered. */
function entranceTo(approvals: Approvals): Entrance<StartedCall, undefined, never> {
  return {
    approvals,
    send: async (started) => ({ result: started, outcome: 'in-progress' }),
    finish: 'now',
  }
}

/**
 * An `allow` also silences the client's own prompt, so somebody must have meant it: a person, or whoever wrote a rule for
 * this call. Where policy only watches, or no rule names the call, the client does as it would without this hook.
 */
function allowed(hook: HookCall, { call, changes, decision, grant, given }: StartedCall): HookAnswer {
  if (decision.watched) return { kind: 'none' }
  if (grant === undefined && decision.why.rule === undefined) return { kind: 'none' }
  if (changes.length > 0 && !takesEdits(hook)) {
    const reason = 'The approver changed the arguments, and this client cannot take them. Nothing ran.'
    return { kind: 'deny', reason }
  }
  const by = given === undefined ? decision.why.words : `${given.by} allowed it.`
  const why = given?.reason === undefined ? '' : ` ${given.reason}`
  return {
    kind: 'allow',
    reason: `Assent: ${by}${why}`,
    ...(changes.length > 0 && { edited: inputOf(hook, call) }),
  }
}

/**
 * Nobody answered in time. The question stays open: the same call, made again, finds it or its answer. The client's own
 * prompt may decide only where a yes of this person, given in this client, is all that the rule wants.
 */
function unanswered(
  { linkTo }: Pick<HookDesk, 'linkTo'>,
  hook: HookCall,
  { requester }: ToolCall,
  { elicitation, decision }: { readonly elicitation: Elicitation; readonly decision: Decision },
): HookAnswer {
  const { approvers, answer, quorum = 1 } = decision
  const link = linkTo(elicitation.id, approvePageName)
  const isTheirs = approvers.includes(requester.participant) && answer === 'client' && quorum === 1
  if (isTheirs && canPrompt(hook)) {
    // Where nobody is at the client, its prompt is a no, and the model reads these words.
    const retry =
      'If nobody can be asked here, tell the person that link, and make the same call again after they answered.'
    return { kind: 'ask', reason: `Nobody answered at ${link} yet. ${decision.why.words} ${retry}` }
  }
  const reason = `This call waits for a person's yes, so it did not run. Tell the person this link: ${link} Make the same call again after they answered, and not before.`
  return { kind: 'deny', reason }
}

/** Recorded before the client is told: a call that may run is never missing from the audit. */
async function record(
  desk: HookDesk,
  { call, walkId }: Approving,
  { event }: HookCall,
  answer: HookAnswer,
): Promise<HookAnswer> {
  const { server, tool, requester } = call
  const edited = answer.kind === 'allow' && answer.edited !== undefined
  await desk.record({
    kind: 'hook-answered',
    who: requester.participant,
    about: walkId,
    data: { server, tool, event, answer: answer.kind, ...(edited && { edited }) },
  })
  return answer
}
