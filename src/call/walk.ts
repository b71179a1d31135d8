import type { Approval, ApprovalRefused, Approved, Approving } from '../approval/approval.ts'
import type { Approvals } from '../approval/approvals.ts'
import type { BegunByPolicy } from '../approval/approve.ts'
import type { Portion } from '../approval/limits/limits.ts'
import type { Running } from '../approval/look-again.ts'
import type { Change } from '../approval/question/edit.ts'
import type { GivenYes } from '../approval/question/subject.ts'
import type { ToolCall } from '../approval/tool-call.ts'
import { inBackground } from '../base/under-way.ts'

/** What a walk needs besides the call itself. Each entrance (library, gateway, fast path) supplies its own. */
export interface Entrance<Result, Credential, Missing> {
  readonly approvals: Pick<
    Approvals,
    'policy' | 'approve' | 'begin' | 'beginAtOnce' | 'start' | 'lookAgain' | 'finish' | 'finishSoon'
  >
  /** The account that the call needs, or what must be asked first. Left out: it needs none, and is decided and started at once. */
  access?(call: ToolCall): Promise<{ readonly kind: 'ready'; readonly credential: Credential } | Missing>
  /** Called before a yes is spent. */
  beforeStart?(approved: Approved): Promise<void>
  /** Called when the call is on record as started, before it is sent. */
  started?(started: StartedCall): void
  /** Never throws for what an upstream may do: a lost one is a failed result, which the audit must have. */
  send(started: StartedCall, credential: Credential): Promise<Sent<Result>>
  /**
   * When the audit gets the end of the call: before its answer goes out (`now`), or with the next write (`soon`), which
   * only holds for calls that spent no yes.
   */
  readonly finish: 'now' | 'soon'
}

/** A call that may run, and whose start is in the audit. Its grant was spent on it, or lets it run for as long as it lasts. */
export interface StartedCall extends Running {
  readonly changes: readonly Change[]
  /** The yes to this very call, if a person gave one. */
  readonly given?: GivenYes
  /** What it took of the limits of its rule when it started just now. */
  readonly taken?: readonly Portion[]
}

/** What came of sending a call. */
export interface Sent<Result> {
  readonly result: Result
  /** `in-progress`: it has not ended. Another entrance, or a later round of its client, resumes the walk and records its end. */
  readonly outcome: 'done' | 'failed' | 'in-progress'
  /** Of a failed one: nothing of it ever left for the upstream. */
  readonly unsent?: boolean
}

/** How a walk ended, for now or for good. */
export type CallOutcome<Result, Missing> =
  | { readonly kind: 'done'; readonly result: Result }
  | Extract<Approval, { kind: 'question' }>
  | ApprovalRefused
  | Missing

/** One tool call, from request to reply. Entered again after an answer, it continues from there. */
export async function walk<Result, Credential, Missing extends { readonly kind: string }>(
  entrance: Entrance<Result, Credential, Missing>,
  approving: Approving,
): Promise<CallOutcome<Result, Missing>> {
  for (;;) {
    // Without waiting, where that can be done: then what let the call run still holds when it is sent.
    const begun = entrance.access === undefined ? entrance.approvals.beginAtOnce(approving) : undefined
    if (begun !== undefined) {
      const started = startedBy(begun, approving)
      entrance.started?.(started)
      return { kind: 'done', result: await sendAndFinish(entrance, started, undefined as Credential) }
    }
    const ready = await start(entrance, approving)
    // One yes runs one of many copies: the others ask for the next, and a copy of this very walk learns that it ran.
    if (ready.kind === 'taken') continue
    if (ready.kind !== 'started') return ready as CallOutcome<Result, Missing>

    const { started, credential } = ready as Ready<Credential>
    entrance.started?.(started)
    // Recording its start took as long as the store did: meanwhile all may have been paused, or the policy changed.
    return resumeWalk(entrance, started, credential)
  }
}

/** Continues a call that was started before, such as in an earlier round, if it may still act. */
export async function resumeWalk<Result, Credential, Missing>(
  entrance: Entrance<Result, Credential, Missing>,
  started: StartedCall,
  credential: Credential,
): Promise<{ readonly kind: 'done'; readonly result: Result } | ApprovalRefused> {
  const refusal = await entrance.approvals.lookAgain(started)
  if (refusal === undefined) return { kind: 'done', result: await sendAndFinish(entrance, started, credential) }
  if (refusal.status !== 'already-run') await entrance.approvals.finish({ ...started, outcome: 'failed', unsent: true })
  return refusal
}

/** Sends a started call and records its end. By itself: for a call in flight that the fast path hands over. */
export async function sendAndFinish<Result, Credential, Missing>(
  { approvals, send, finish }: Pick<Entrance<Result, Credential, Missing>, 'approvals' | 'send' | 'finish'>,
  started: StartedCall,
  credential: Credential,
): Promise<Result> {
  const { result, outcome, unsent = false } = await send(started, credential)
  if (outcome === 'in-progress') return result
  const { walkId, call, grant, taken } = started
  if (finish === 'soon' && grant === undefined && taken === undefined)
    inBackground(approvals.finishSoon({ walkId, call, outcome }))
  else await approvals.finish({ walkId, call, outcome, unsent, ...(grant && { grant }), ...(taken && { taken }) })
  return result
}

function startedBy({ call, changes, decision, taken }: BegunByPolicy, { walkId }: Approving): StartedCall {
  return { walkId, call, changes, decision, ...(taken && { taken }) }
}

interface Ready<Credential> {
  readonly kind: 'started'
  readonly started: StartedCall
  readonly credential: Credential
}

async function start<Result, Credential, Missing extends { readonly kind: string }>(
  { approvals, access, beforeStart }: Entrance<Result, Credential, Missing>,
  approving: Approving,
): Promise<Ready<Credential> | Exclude<Approval, Approved> | Missing | { readonly kind: 'taken' }> {
  const { walkId } = approving
  const { policy } = approvals
  const approval = access === undefined ? await approvals.begin(approving) : await approvals.approve(approving)
  const noCredential = undefined as Credential
  if (approval.kind === 'begun') {
    return { kind: 'started', started: startedBy(approval, approving), credential: noCredential }
  }
  if (approval.kind !== 'approved') return approval

  const account = await access?.(approval.call)
  if (account !== undefined && account.kind !== 'ready') return account as Missing

  await beforeStart?.(approval)
  const begun = await approvals.start(approval, { ...approving, policy })
  if (begun.kind === 'taken') return begun
  const { call, changes, decision, given } = approval
  const { grant, taken } = begun
  const by = { ...(grant && { grant }), ...(given && { given }), ...(taken && { taken }) }
  return {
    kind: 'started',
    started: { walkId, call, changes, decision, ...by },
    credential: account === undefined ? noCredential : (account as { credential: Credential }).credential,
  }
}
