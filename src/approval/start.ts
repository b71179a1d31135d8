import type { Approved, Approving } from './approval.ts'
import type { ApprovalDesk } from './desk.ts'
import type { Grant } from './grant/grant.ts'
import { isPaused } from './grant/pause.ts'
import { giveBack, type Portion, takeLimits } from './limits/limits.ts'
import type { Policy } from './policy/policy.ts'
import { recordStart } from './record.ts'

// What "once" means, in the four places that make it true:
//  - A one-time grant is spent here, by compare-and-set on its record, after every question is answered and before anything
//    is sent. A call that finds it spent asks again, or learns that it ran.
//  - A yes to `ask.confirm`, and a lasting yes that a 2026 client brings, is claimed as a step of its walk (`spendYes` in
//    asking/rounds/ask.ts): the same sealed state, sent again, finds it claimed.
//  - Every later state of that walk carries the yes, so each of those states is claimed too (`spendAgain`).
//  - `spentFor` in the sealed state says for which call a one-time grant was spent. Any other call asks anew.

/**
 * How starting an approved call ended. `taken`: it must be decided again, since another copy of it used the yes up, the
 * yes was taken back, its limit is used up, all is paused, or the policy changed.
 */
export type Started =
  | {
      readonly kind: 'started'
      readonly grant?: Grant
      /** What it took of the limits of its rule. */
      readonly taken?: readonly Portion[]
    }
  | { readonly kind: 'taken' }

/** A call to start, and the policy that was asked whether it may. */
export interface Starting extends Pick<Approving, 'walkId' | 'isStarted'> {
  readonly policy: Policy
}

/**
 * The last moment before a call runs: what let it run is looked at again, a yes for one call is spent by compare-and-set,
 * whoever comes second finds out, and nothing runs that the audit does not know.
 */
export async function start(desk: ApprovalDesk, approved: Approved, approving: Starting): Promise<Started> {
  const { grant, call } = approved
  const { walkId: walk, policy } = approving
  if (await isPaused(desk)) return { kind: 'taken' }
  if (grant?.uses.kind === 'many' && !(await stillStands(desk, grant))) return { kind: 'taken' }
  // The account may have been connected in the meantime, which takes minutes.
  if (policy !== desk.policy()) return { kind: 'taken' }
  if (grant === undefined || grant.uses.kind === 'many') {
    const taken = await recordStartWithin(desk, approved, approving)
    if (taken === undefined) return { kind: 'taken' }
    return { kind: 'started', ...(grant && { grant }), ...(taken.length > 0 && { taken }) }
  }
  const at = desk.clock.now()
  if (isOver(grant, at)) return { kind: 'taken' }
  const entry = { who: call.requester.participant, about: grant.id, data: { walk } }
  await desk.audit.record({ kind: 'grant-spent', ...entry })
  const spent: Grant = { ...grant, version: grant.version + 1, uses: { ...grant.uses, spent: { at, walk } } }
  if (!(await desk.store.saveIfUnchanged(spent))) {
    await desk.audit.record({ kind: 'grant-spent-late', ...entry })
    return { kind: 'taken' }
  }
  await recordStart(desk, approved, approving)
  return { kind: 'started', grant: spent }
}

/**
 * Records the start of a call, with what it takes of the limits of its rule taken before. Undefined: another call took it,
 * and this one must be decided again.
 */
export async function recordStartWithin(
  desk: ApprovalDesk,
  approved: Approved,
  approving: Pick<Approving, 'walkId' | 'isStarted'>,
): Promise<readonly Portion[] | undefined> {
  if (approved.decision.limits === undefined) {
    await recordStart(desk, approved, approving)
    return []
  }
  const taken = await takeLimits(desk, approved, approving.isStarted)
  if (taken === undefined) return undefined
  try {
    await recordStart(desk, approved, approving)
    return taken
  } catch (error) {
    // What is not on record is not sent.
    await giveBack(desk, taken).catch(() => {})
    throw error
  }
}

/** A lasting yes may have been taken back while the call's account was fetched. */
async function stillStands({ store, clock }: ApprovalDesk, { id }: Grant): Promise<boolean> {
  const kept = await store.get(id)
  return kept !== undefined && kept.revoked === undefined && !isOver(kept, clock.now())
}

function isOver({ expiresAt }: Grant, now: Date): boolean {
  return expiresAt !== undefined && now >= expiresAt
}
