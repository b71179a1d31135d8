import type { Approval, ApprovalRefused, Approving } from '../approval/approval.ts'
import type { Approvals } from '../approval/approvals.ts'
import type { Change } from '../approval/question/edit.ts'
import type { ToolCall } from '../approval/tool-call.ts'

/** What a walk has besides the call itself: how to reach what the call needs, and how to send it. */
export interface Entrance<Result, Credential, Missing> {
  readonly approvals: Pick<Approvals, 'approve' | 'start' | 'finish'>
  /** The account that the call needs, or what must be asked for it first. */
  access(call: ToolCall): Promise<{ readonly kind: 'ready'; readonly credential: Credential } | Missing>
  /** Never throws for what an upstream may well do: a lost one is a failed result, and the audit must say so. */
  send(call: ToolCall, credential: Credential, changes: readonly Change[]): Promise<Sent<Result>>
}

/** What came of sending a call. */
export interface Sent<Result> {
  readonly result: Result
  readonly outcome: 'done' | 'failed'
}

/** How a walk ended, for now or for good. */
export type CallOutcome<Result, Missing> =
  | { readonly kind: 'done'; readonly result: Result }
  | Extract<Approval, { kind: 'question' }>
  | ApprovalRefused
  | Missing

/** One tool call, from request to reply. Walked again after an answer, it goes on from there. */
export async function walk<Result, Credential, Missing extends { readonly kind: string }>(
  { approvals, access, send }: Entrance<Result, Credential, Missing>,
  approving: Approving,
): Promise<CallOutcome<Result, Missing>> {
  for (;;) {
    const approval = await approvals.approve(approving)
    if (approval.kind !== 'approved') return approval

    const account = await access(approval.call)
    if (account.kind !== 'ready') return account as Missing

    const started = await approvals.start(approval, approving.walkId)
    // One yes runs one of many copies: the others ask for the next, and a copy of this very walk is told that it ran.
    if (started.kind === 'taken') continue

    const { credential } = account as { credential: Credential }
    const { result, outcome } = await send(approval.call, credential, approval.changes)
    await approvals.finish(approval, approving.walkId, started.grant, outcome)
    return { kind: 'done', result }
  }
}
