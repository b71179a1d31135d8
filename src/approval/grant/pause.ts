import type { ParticipantId } from '../../participant/participant.ts'
import type { ApprovalDesk } from '../desk.ts'
import { everybody, everyServer, type Grant, type GrantId } from './grant.ts'

/** A deny for everybody and everything: kept as a grant, so that every process that shares the store obeys it at once. */
const pauseId = 'pause' as GrantId

type Pausing = Pick<ApprovalDesk, 'store' | 'audit' | 'clock'>

/** Whether everything is denied for now. */
export async function isPaused({ store }: Pick<ApprovalDesk, 'store'>): Promise<boolean> {
  const kept = await store.get(pauseId)
  return kept !== undefined && isPause(kept)
}

/** Whether this is what denies everything for now. */
export function isPause({ id, revoked }: Grant): boolean {
  return id === pauseId && revoked === undefined
}

/** Denies every call from now on, until `resume`. False: it was so already. */
export async function pause(desk: Pausing, by: ParticipantId): Promise<boolean> {
  await desk.audit.record({ kind: 'paused', who: by })
  const at = desk.clock.now()
  const made: Grant = {
    id: pauseId,
    version: 1,
    effect: 'deny',
    participant: everybody,
    server: everyServer,
    uses: { kind: 'many' },
    grantedBy: by,
    createdAt: at,
  }
  if (await desk.store.add(made)) return true
  return change(desk, (kept) => {
    if (kept.revoked === undefined) return undefined
    const { revoked: _, ...rest } = kept
    return { ...rest, version: kept.version + 1, grantedBy: by, createdAt: at }
  })
}

/** Lets policy and people decide again. False: nothing was paused. */
export async function resume(desk: Pausing, by: ParticipantId): Promise<boolean> {
  await desk.audit.record({ kind: 'resumed', who: by })
  const at = desk.clock.now()
  return change(desk, (kept) =>
    kept.revoked === undefined ? { ...kept, version: kept.version + 1, revoked: { at, by } } : undefined,
  )
}

async function change({ store }: Pausing, next: (kept: Grant) => Grant | undefined): Promise<boolean> {
  for (;;) {
    const kept = await store.get(pauseId)
    const changed = kept && next(kept)
    if (changed === undefined) return false
    if (await store.saveIfUnchanged(changed)) return true
  }
}
