import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from '../connection.ts'
import type { ConnectionDesk } from '../desk.ts'
import type { Consent } from '../provider.ts'
import { isDue, isObtainedAnew } from '../standing.ts'
import type { Credential } from './credential.ts'
import { openCredential } from './open-credential.ts'
import { keepGranted, keepRefused, release } from './refreshed.ts'

/** What came of renewing: what is kept now, or that nobody could renew it. */
export type Renewal =
  | { readonly kind: 'kept'; readonly connection: Connection | undefined }
  | { readonly kind: 'unavailable'; readonly connection: Connection; readonly reason: string }

const lookEveryMs = 50

/**
 * Renews a connection, once for all processes: one of them saves a lease and asks the provider, the others look until
 * the record moved. A lease whose holder is gone runs out, by the clock or by having been waited for that long.
 */
export async function refresh(desk: ConnectionDesk, consent: Consent, due: Connection): Promise<Renewal> {
  let current = due
  let waited = { version: 0, ms: 0 }
  for (;;) {
    const now = desk.clock.now()
    if (isSettledSince(desk, due, current, now)) return { kind: 'kept', connection: current }
    const waitedMs = waited.version === current.version ? waited.ms : 0
    if (current.refreshingUntil !== undefined && current.refreshingUntil > now && waitedMs < desk.refreshLeaseMs) {
      await sleep(lookEveryMs)
      waited = { version: current.version, ms: waitedMs + lookEveryMs }
    } else if (waited.ms > 0 && current.refreshingUntil === undefined) {
      return { kind: 'unavailable', connection: current, reason: 'unavailable to the one who tried' }
    } else {
      // Opened before the lease is taken: where the key is missing nobody needs to wait for us.
      const credential = await openCredential(desk, current)
      const refreshingUntil = new Date(now.getTime() + desk.refreshLeaseMs)
      const mine = { ...current, version: current.version + 1, refreshingUntil }
      if (await desk.store.saveIfUnchanged(mine)) return renew(desk, consent, mine, credential)
    }
    const kept = await desk.store.get(due.participant, due.provider)
    if (kept?.id !== due.id) return { kind: 'kept', connection: kept }
    current = kept
  }
}

/** Whether somebody else renewed it, or was told that it cannot be, since it was found due. */
function isSettledSince({ refreshAheadMs }: ConnectionDesk, due: Connection, current: Connection, now: Date): boolean {
  return isObtainedAnew(current, due) || !isDue(current, now, refreshAheadMs)
}

async function renew(
  desk: ConnectionDesk,
  consent: Consent,
  mine: Connection,
  credential: Credential,
): Promise<Renewal> {
  const refreshToken = credential.kind === 'tokens' ? credential.refreshToken : undefined
  if (refreshToken === undefined) {
    return { kind: 'kept', connection: await keepRefused(desk, mine, 'no-refresh-token') }
  }
  const refreshed = await consent.refresh(refreshToken, mine.scopes)
  switch (refreshed.kind) {
    case 'granted':
      return { kind: 'kept', connection: await keepGranted(desk, mine, refreshToken, refreshed.tokens) }
    case 'refused':
      return { kind: 'kept', connection: await keepRefused(desk, mine, refreshed.reason) }
    case 'unavailable': {
      const connection = await release(desk, mine, refreshed.reason)
      // Somebody else had more luck, or the account was connected anew, or given up.
      if (connection === undefined || connection.id !== mine.id || isObtainedAnew(connection, mine))
        return { kind: 'kept', connection }
      return { kind: 'unavailable', connection, reason: refreshed.reason }
    }
  }
}
