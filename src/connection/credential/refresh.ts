import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../connection.ts'
import type { ConnectionDesk } from '../desk.ts'
import type { Consent } from '../provider.ts'
import { hasNewCredential, isDue } from '../standing.ts'
import type { Credential } from './credential.ts'
import { keepGranted, keepRefused, releaseLease } from './keep-refreshed.ts'
import { openCredential } from './open-credential.ts'

/** The result of renewing: the connection as stored now, or that it could not be renewed. */
export type Renewal =
  | { readonly kind: 'kept'; readonly connection: Connection | undefined }
  | { readonly kind: 'unavailable'; readonly connection: Connection; readonly reason: string }

const pollMs = 50

/**
 * Renews a connection once for all processes: one of them saves a lease and asks the provider, the others poll until
 * the record changes. The lease of a process that is gone expires, by the clock or by the time others have waited.
 */
export async function refresh(desk: ConnectionDesk, consent: Consent, due: Connection): Promise<Renewal> {
  let current = due
  let waited = { version: 0, ms: 0 }
  for (;;) {
    const now = desk.clock.now()
    if (isSettledSince(desk, due, current, now)) return { kind: 'kept', connection: current }
    const waitedMs = waited.version === current.version ? waited.ms : 0
    if (current.refreshingUntil !== undefined && current.refreshingUntil > now && waitedMs < desk.refreshLeaseMs) {
      await sleep(pollMs)
      waited = { version: current.version, ms: waitedMs + pollMs }
    } else if (waited.ms > 0 && current.refreshingUntil === undefined) {
      return { kind: 'unavailable', connection: current, reason: 'another process could not reach the provider' }
    } else {
      // Opened before the lease is saved: if the vault key is missing, no other process must wait for us.
      const credential = await openCredential(desk, current)
      const refreshingUntil = new Date(now.getTime() + desk.refreshLeaseMs)
      const leased = { ...current, version: current.version + 1, refreshingUntil }
      if (await desk.store.saveIfUnchanged(leased)) return renew(desk, consent, leased, credential)
    }
    const kept = await desk.store.get(due.participant, due.provider)
    if (kept?.id !== due.id) return { kind: 'kept', connection: kept }
    current = kept
  }
}

/** Whether another process has renewed it since it was found due, or learned that it cannot be renewed. */
function isSettledSince({ refreshAheadMs }: ConnectionDesk, due: Connection, current: Connection, now: Date): boolean {
  return hasNewCredential(current, due) || !isDue(current, now, refreshAheadMs)
}

async function renew(
  desk: ConnectionDesk,
  consent: Consent,
  leased: Connection,
  credential: Credential,
): Promise<Renewal> {
  const refreshToken = credential.kind === 'tokens' ? credential.refreshToken : undefined
  if (refreshToken === undefined) {
    return { kind: 'kept', connection: await keepRefused(desk, leased, 'no-refresh-token') }
  }
  const refreshed = await consent.refresh(refreshToken, leased.scopes, leased.issuedBy)
  switch (refreshed.kind) {
    case 'granted':
      return { kind: 'kept', connection: await keepGranted(desk, leased, refreshToken, refreshed.tokens) }
    case 'refused':
      return { kind: 'kept', connection: await keepRefused(desk, leased, refreshed.reason) }
    case 'unavailable': {
      const connection = await releaseLease(desk, leased, refreshed.reason)
      // Another process renewed it, or the account was connected again or disconnected.
      if (connection === undefined || connection.id !== leased.id || hasNewCredential(connection, leased))
        return { kind: 'kept', connection }
      return { kind: 'unavailable', connection, reason: refreshed.reason }
    }
  }
}
