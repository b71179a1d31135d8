import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditKind } from '../../audit/kinds.ts'
import { AssentError } from '../../base/errors.ts'
import type { Connection } from '../connection.ts'
import type { ConnectionDesk } from '../desk.ts'
import { reasonCode } from '../flow/reason-code.ts'
import type { Tokens } from '../provider.ts'
import { revokeAtProvider } from '../revoke-at-provider.ts'
import { isObtainedAnew } from '../standing.ts'
import { sealCredential } from './open-credential.ts'

const retryStoreMs = 250

/**
 * Keeps what the provider granted; gives back what is kept then. Saved before it is recorded, and tried again while the
 * store is down: the refresh token before it may be worth nothing any more. When a lease ran out and two were granted,
 * the one that came last is kept: a provider that takes a refresh token only once grants only one of them, and others
 * leave both good. One for a connection that was replaced is dropped; one for a connection that was given up is let go.
 */
export async function keepGranted(
  desk: ConnectionDesk,
  mine: Connection,
  refreshToken: string,
  { credential, scopes, expiresAt }: Tokens,
): Promise<Connection | undefined> {
  // A provider that gives no new refresh token leaves the old one good (RFC 6749, section 6).
  const whole = { ...credential, refreshToken: credential.refreshToken ?? refreshToken }
  const sealed = await sealCredential(desk, mine, whole)
  const obtained = { at: desk.clock.now(), by: 'refresh' } as const
  const kept = await saveOver(desk, mine, ({ refreshingUntil, expiresAt: old, ...current }) => ({
    ...current,
    version: current.version + 1,
    scopes: [...scopes],
    standing: 'good',
    sealed,
    ...(expiresAt !== undefined && { expiresAt }),
    obtained,
  }))
  if (kept === undefined) await revokeAtProvider(desk, desk.providers.get(mine.provider), whole)
  await record(desk, mine, 'connection-renewed', kept?.id === mine.id ? {} : { dropped: true })
  return kept
}

/** The person must be asked. What was obtained since is not what was refused, and stays. */
export async function keepRefused(
  desk: ConnectionDesk,
  mine: Connection,
  reason: string,
): Promise<Connection | undefined> {
  await record(desk, mine, 'connection-refused', { reason: reasonCode(reason) })
  return saveOver(desk, mine, ({ refreshingUntil, ...current }) =>
    isObtainedAnew(current, mine) ? undefined : { ...current, version: current.version + 1, standing: 'refused' },
  )
}

/** Gives the lease back, so that nobody waits for what will not come. */
export async function release(desk: ConnectionDesk, mine: Connection, reason: string): Promise<Connection | undefined> {
  await record(desk, mine, 'connection-not-renewed', { reason: reasonCode(reason) })
  return saveOver(desk, mine, ({ refreshingUntil, ...current }) =>
    refreshingUntil?.getTime() === mine.refreshingUntil?.getTime()
      ? { ...current, version: current.version + 1 }
      : undefined,
  )
}

/** Saves over whatever this connection is by now, unless `change` wants nothing. Gives back what is kept then. */
async function saveOver(
  desk: ConnectionDesk,
  mine: Connection,
  change: (current: Connection) => Connection | undefined,
): Promise<Connection | undefined> {
  let current: Connection | undefined = mine
  while (current?.id === mine.id) {
    const next = change(current)
    if (next === undefined) break
    if (await whileStoreIsDown(desk, () => desk.store.saveIfUnchanged(next))) return next
    current = await whileStoreIsDown(desk, () => desk.store.get(mine.participant, mine.provider))
  }
  return current
}

/** Tries for as long as the lease lasts. */
async function whileStoreIsDown<T>({ refreshLeaseMs }: ConnectionDesk, work: () => Promise<T>): Promise<T> {
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
