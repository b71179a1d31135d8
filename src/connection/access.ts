import type { ParticipantId } from '../participant/participant.ts'
import type { Connection } from './connection.ts'
import type { Access, Ready } from './connections.ts'
import { openCredential } from './credential/open-credential.ts'
import type { Renewal } from './credential/refresh.ts'
import type { ConnectionDesk } from './desk.ts'
import { ProviderUnavailable } from './errors.ts'
import { findProvider } from './find-provider.ts'
import type { Consent, Provider } from './provider.ts'
import { missingScopes, union } from './scopes.ts'
import { isDue, isUsable } from './standing.ts'

/** Renews a connection. Concurrent callers in this process share one renewal. */
export type Renew = (consent: Consent, due: Connection) => Promise<Renewal>

/** Whether a participant's account can be used now. Renews it first if that is due. */
export async function access(
  desk: ConnectionDesk,
  renew: Renew,
  participant: ParticipantId,
  name: string,
  scopes?: readonly string[],
): Promise<Access> {
  const provider = findProvider(desk, name)
  const needed = scopes ?? provider.scopes
  const checked = checkConnection(provider, await desk.store.get(participant, name), needed)
  if (checked.kind === 'missing') return checked

  const { connection } = checked
  const now = desk.clock.now()
  if (provider.by.kind === 'key' || !isDue(connection, now, desk.refreshAheadMs)) {
    return isUsable(connection, now) ? ready(desk, provider, connection) : missing('refused', needed, connection)
  }

  const renewal = await renew(provider.by.consent, connection)
  const renewed = checkConnection(provider, renewal.connection, needed)
  if (renewed.kind === 'missing') return renewed
  if (renewal.kind === 'unavailable' && !isUsable(renewed.connection, desk.clock.now())) {
    throw new ProviderUnavailable(provider.title, renewal.reason)
  }
  return ready(desk, provider, renewed.connection)
}

type Missing = Extract<Access, { kind: 'missing' }>

function checkConnection(
  { by }: Provider,
  kept: Connection | undefined,
  needed: readonly string[],
): Missing | { readonly kind: 'found'; readonly connection: Connection } {
  // Tokens of another server, or for another resource, are none of this provider's, whatever the name says.
  if (kept === undefined || !isAccepted(by, kept.issuedBy))
    return { kind: 'missing', why: 'none', scopes: union(needed) }
  if (kept.standing === 'refused') return missing('refused', needed, kept)
  if (missingScopes(needed, kept.scopes).length > 0) return missing('scopes', needed, kept)
  return { kind: 'found', connection: kept }
}

function isAccepted(by: Provider['by'], issuedBy: Connection['issuedBy']): boolean {
  return by.kind === 'consent' && by.consent.accepts !== undefined
    ? by.consent.accepts(issuedBy)
    : issuedBy === undefined
}

function missing(why: 'refused' | 'scopes', needed: readonly string[], { scopes }: Connection): Missing {
  return { kind: 'missing', why, scopes: union(scopes, needed) }
}

async function ready(desk: ConnectionDesk, { sending }: Provider, connection: Connection): Promise<Ready> {
  const { participant, provider, id, version, scopes, account } = connection
  const credential = await openCredential(desk, connection)
  return {
    kind: 'ready',
    provider,
    secret: credential.kind === 'key' ? credential.key : credential.accessToken,
    sending,
    scopes,
    ...(account !== undefined && { account }),
    connection: { participant, provider, id, version },
  }
}
