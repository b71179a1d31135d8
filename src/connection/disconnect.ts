import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import { openCredential } from './credential/open-credential.ts'
import type { ConnectionDesk } from './desk.ts'
import { revokeAtProvider } from './revoke-at-provider.ts'

/** Deletes a connection first, whatever the provider will answer, and then revokes it at the provider. */
export async function disconnect(
  desk: ConnectionDesk,
  participant: ParticipantId,
  name: string,
): Promise<{ readonly revokedThere: boolean } | undefined> {
  const removed = await remove(desk, participant, name)
  if (removed === undefined) return undefined
  const revokedThere = await revoke(desk, removed)
  await desk.audit.record({ kind: 'connection-let-go', who: participant, data: { provider: name, revokedThere } })
  return { revokedThere }
}

async function remove(desk: ConnectionDesk, participant: ParticipantId, name: string): Promise<Connection | undefined> {
  for (;;) {
    const kept = await desk.store.get(participant, name)
    if (kept === undefined) return undefined
    await desk.audit.record({
      kind: 'disconnected',
      who: participant,
      data: { provider: name, scopes: [...kept.scopes] },
    })
    // False: a new consent replaced it meanwhile. The person wants nothing kept, so that one is removed too.
    if (await desk.store.remove(kept)) return kept
  }
}

/** A credential that cannot be opened any more cannot be revoked, but the person must still be able to disconnect. */
async function revoke(desk: ConnectionDesk, removed: Connection): Promise<boolean> {
  try {
    const credential = await openCredential(desk, removed)
    return await revokeAtProvider(desk, desk.providers.get(removed.provider), credential, removed.issuedBy)
  } catch {
    return false
  }
}
