import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditKind } from '../../audit/kinds.ts'
import { AssentError } from '../../base/errors.ts'
import type { Connection } from '../connection.ts'
import type { ConnectionDesk } from '../desk.ts'
import { reasonCode } from '../flow/reason-code.ts'
import type { Tokens } from '../provider.ts'
import { revokeAtProvider } from '../revoke-at-provider.ts'
import { hasNewCredential } from '../standing.ts'
import { sealCredential } from './open-credential.ts'

const retryStoreMs = 250

/**
 * Saves the tokens that the provider granted, and returns the connection as stored then. They are saved before they are
 * recorded, and again and again while the store is down, because the previous refresh token may be invalid by now. If a
 * lease expired and two processes got tokens, the later ones are kept: a provider with single-use refresh tokens grants
 * only one of them, and with any other provider both are valid. Tokens for a connection that was replaced are dropped;
 * tokens for one that was disconnected are revoked.
 */
export async function keepGranted(
  desk: ConnectionDesk,
  leased: Connection,
  refreshToken: string,
  { credential, scopes, expiresAt }: Tokens,
): Promise<Connection | undefined> {
  // Without a new refresh token, the old one stays valid (RFC 6749, section 6).
  const tokens = { ...credential, refreshToken: credential.refreshToken ?? refreshToken }
  const sealed = await sealCredential(desk, leased, tokens)
  const obtained = { at: desk.clock.now(), by: 'refresh' } as const
  const kept = await saveLatest(desk, leased, ({ refreshingUntil, expiresAt: old, ...current }) => ({
    ...current,
    version: current.version + 1,
    scopes: [...scopes],
    standing: 'good',
    sealed,
    ...(expiresAt !== undefined && { expiresAt }),
    obtained,
  }))
  if (kept === undefined) {
    await revokeAtProvider(desk, desk.providers.get(leased.provider), tokens, leased.issuedBy)
  }
  await record(desk, leased, 'connection-renewed', kept?.id === leased.id ? {} : { dropped: true })
  return kept
}

/**
 * Marks the connection as refused, so that the person is asked. A newer credential was not refused, and stays as it is.
 */
export async function keepRefused(
  desk: ConnectionDesk,
  leased: Connection,
  reason: string,
): Promise<Connection | undefined> {
  await record(desk, leased, 'connection-refused', { reason: reasonCode(reason) })
  return saveLatest(desk, leased, ({ refreshingUntil, ...current }) =>
    hasNewCredential(current, leased) ? undefined : { ...current, version: current.version + 1, standing: 'refused' },
  )
}

/** Gives the lease back, so that no process waits for a result that will not come. */
export async function releaseLease(
  desk: ConnectionDesk,
  leased: Connection,
  reason: string,
): Promise<Connection | undefined> {
  await record(desk, leased, 'connection-not-renewed', { reason: reasonCode(reason) })
  return saveLatest(desk, leased, ({ refreshingUntil, ...current }) =>
    refreshingUntil?.getTime() === leased.refreshingUntil?.getTime()
      ? { ...current, version: current.version + 1 }
      : undefined,
  )
}

/** Applies `change` to the latest version of the connection, and returns the connection as stored then. */
async function saveLatest(
  desk: ConnectionDesk,
  leased: Connection,
  change: (current: Connection) => Connection | undefined,
): Promise<Connection | undefined> {
  let current: Connection | undefined = leased
  while (current?.id === leased.id) {
    const next = change(current)
    if (next === undefined) break
    if (await retryWhileStoreIsDown(desk, () => desk.store.saveIfUnchanged(next))) return next
    current = await retryWhileStoreIsDown(desk, () => desk.store.get(leased.participant, leased.provider))
  }
  return current
}

/** Retries while the store is down, for as long as the lease lasts. */
async function retryWhileStoreIsDown<T>({ refreshLeaseMs }: ConnectionDesk, work: () => Promise<T>): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += retryStoreMs) {
    try {
      return await work()
    } catch (error) {
      const isDown = error instanceof AssentError && error.code === 'store_unavailable'
      if (!isDown || waitedMs >= refreshLeaseMs) throw error
      await sleep(retryStoreMs)
    }
  }
}

function record(
  desk: ConnectionDesk,
  { participant, provider }: Connection,
  kind: AuditKind,
  more: { reason?: string; dropped?: boolean },
) {
  return desk.audit.record({ kind, who: participant, data: { provider, ...more } })
}
