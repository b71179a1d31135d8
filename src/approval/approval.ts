import type { Elicitation, ElicitationId } from '../elicitation/elicitation.ts'
import type { Grant } from './grant/grant.ts'
import type { Decision, Policy } from './policy/policy.ts'
import type { Change } from './question/edit.ts'
import type { CallPreview } from './question/preview.ts'
import type { GivenYes } from './question/subject.ts'
import type { ToolCall } from './tool-call.ts'

/** One call on its way, as far as approving must know it. */
export interface Approving {
  readonly call: ToolCall
  /** Names the walk that this call is. */
  readonly walkId: string
  /** The question that this walk waits for, if it asked one. */
  readonly question?: ElicitationId
  /** Decided by whoever serves the tool; left out, policy decides. */
  readonly decision?: Decision
  /** What policy said a moment ago. It counts only while that policy holds. */
  readonly decided?: { readonly policy: Policy; readonly decision: Decision }
  /** What is asked, in the words of whoever serves the tool; left out, in ours. */
  readonly message?: string
  /** The start of this walk is in the audit already, from an earlier round. */
  readonly isStarted?: boolean
  /** Calls the tool of a preview; left out: what its rule wants shown cannot be. */
  readonly preview?: CallPreview
  /** Whether the approver can be asked by some way; left out: yes. If not, the decision's fallback holds. */
  readonly mayAsk?: (decision: Decision) => boolean
}

/** The name of the page where approvals are answered. */
export const approvePageName = 'approve'

/** Whether a call may run, as it stands now. */
export type Approval =
  | Approved
  /** Someone must answer this first. */
  | { readonly kind: 'question'; readonly elicitation: Elicitation; readonly decision: Decision }
  | ApprovalRefused

export interface Approved {
  readonly kind: 'approved'
  /** The call to run: as it was asked for, or as the approver edited it. */
  readonly call: ToolCall
  readonly changes: readonly Change[]
  readonly decision: Decision
  /** What allows it; absent where policy alone does. */
  readonly grant?: Grant
  /** The yes to this very call; absent where policy or a lasting grant allows it. */
  readonly given?: GivenYes
}

/** Why a call does not run, in words for the model and in one for programs. */
export interface ApprovalRefused {
  readonly kind: 'refused'
  readonly status: 'denied' | 'cancelled' | 'expired' | 'failed' | 'already-run'
  readonly reason: string
  readonly message: string
}

/** What the model is to do after a person did not say yes. */
export const unlessTheyAsk = 'Do not try again unless they ask for it.'

/** A refusal, as the walk gives it back. */
export function refused(status: ApprovalRefused['status'], reason: string, message: string): ApprovalRefused {
  return { kind: 'refused', status, reason, message }
}

export const paused = refused('denied', 'paused', 'Everything is paused here: no tool runs for now.')

export const alwaysDenied = refused(
  'denied',
  'always-denied',
  `The person said that this is never to run, and can revoke that. ${unlessTheyAsk}`,
)

export function deniedBy({ why }: Decision): ApprovalRefused {
  return refused('denied', 'policy', `This call is not allowed. ${why.words}`)
}

/** For a walk that is sent again after its yes was spent. */
export function alreadyRun({ outcome }: { readonly outcome?: 'done' | 'failed' }): ApprovalRefused {
  const how = outcome === undefined ? 'nobody knows how it ended' : `it is ${outcome}`
  return refused('already-run', outcome ?? 'unknown', `This call ran already, and ${how}. Nothing ran again.`)
}
