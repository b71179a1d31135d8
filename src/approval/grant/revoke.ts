import type { AuditEntry } from '../../audit/entry.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { ApprovalDesk } from '../desk.ts'
import type { Grant, GrantId } from './grant.ts'

/** Takes a grant back. Only the one whose calls it covers, the one who gave it, or whoever runs the installation may. */
export async function revoke(
  { store, audit, clock }: Pick<ApprovalDesk, 'store' | 'audit' | 'clock'>,
  id: GrantId,
  by: ParticipantId | 'operator',
): Promise<Grant | undefined> {
  for (;;) {
    const kept = await store.get(id)
    if (kept === undefined) return undefined
    if (by !== 'operator' && by !== kept.participant && by !== kept.grantedBy) return undefined
    if (kept.revoked !== undefined) return kept
    const { server, tool } = kept
    const isOperator = by === 'operator'
    const entry: AuditEntry = { kind: 'grant-revoked', about: id, data: { server, tool, ...(isOperator && { by }) } }
    await audit.record(isOperator ? entry : { ...entry, who: by })
    const revoked = { at: clock.now(), by: by as ParticipantId }
    const next: Grant = { ...kept, version: kept.version + 1, revoked }
    if (await store.saveIfUnchanged(next)) return next
  }
}
