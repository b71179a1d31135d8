import type { ParticipantId } from '../participant/participant.ts'
import type { ConnectionView } from './connections.ts'
import type { ConnectionDesk } from './desk.ts'

/**
 * A participant's connections, in the order of the providers' names; also at providers that are not configured any
 * more.
 */
export async function list(
  { store, providers }: Pick<ConnectionDesk, 'store' | 'providers'>,
  participant: ParticipantId,
): Promise<ConnectionView[]> {
  const kept = await store.list(participant)
  return kept.map(({ provider, scopes, standing, account, connectedAt, expiresAt, issuedBy }) => ({
    provider,
    title: providers.get(provider)?.title ?? provider,
    scopes,
    standing,
    connectedAt,
    ...(account !== undefined && { account }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(issuedBy !== undefined && { issuedBy }),
  }))
}
