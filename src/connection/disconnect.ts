import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import { openCredential } from './credential/open-credential.ts'
import type { ConnectionDesk } from './desk.ts'
import { revokeAtProvider } from './revoke-at-provider.ts'

/** Gives an account up: gone here whatever the provider says, then told there. */
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
    // False: a new consent took its place in between, and the person wants nothing kept.
    if (await desk.store.remove(kept)) return kept
  }
}

/** A credential that does not open any more cannot be revoked, and must not keep the person from being rid of it. */
async function revoke(desk: ConnectionDesk, removed: Connection): Promise<boolean> {
  try {
    return await revokeAtProvider(desk, desk.providers.get(removed.provider), await openCredential(desk, removed))
  } catch {
    return false
  }
}
