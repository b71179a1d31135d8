import type { Approval, Approved, Approving } from './approval.ts'
import { approve } from './approve.ts'
import type { ApprovalDesk } from './desk.ts'
import { recordStart } from './record.ts'

/** How beginning a call ended: it runs now, by policy alone, or what else there is to do first. */
export type BegunCall = (Omit<Approved, 'kind'> & { readonly kind: 'begun' }) | Approval

/**
 * Approves a call and starts it in the same breath: whether all is paused was looked at just now, and is not looked at
 * again. What a person's yes allows is not started here, for a yes is looked at when it is used.
 */
export async function begin(desk: ApprovalDesk, approving: Approving): Promise<BegunCall> {
  const approval = await approve(desk, approving)
  if (approval.kind !== 'approved' || approval.grant !== undefined) return approval
  await recordStart(desk, approval, approving)
  return { ...approval, kind: 'begun' }
}
