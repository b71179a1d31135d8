import type { Clock } from '../../base/clock.ts'
import { FetchFailed, type GuardedFetch } from '../../base/guarded-fetch.ts'
import { type Retrying, type SendFailure, withRetries } from '../delivery/retry.ts'
import { deliveryHeader, signature, signatureHeader } from './sign.ts'

/** One message to send. */
export interface Delivery {
  /** The same for every attempt. */
  readonly id: string
  readonly body: string
}

/** Where deliveries go, and how they are sent. */
export interface DeliveryTarget {
  readonly url: string
  readonly secret: string
  readonly fetch: GuardedFetch
  readonly clock: Clock
  /** The wait before each retry, in milliseconds. */
  readonly retries: readonly number[]
}

/** Sends a message, with retries where they may help. Throws `NotDelivered` when it gives up. */
export function deliver(target: DeliveryTarget, delivery: Delivery, stop: StopSignals): Promise<void> {
  const { clock, retries } = target
  return withRetries(() => attempt(target, delivery, stop.now), { clock, retries, ...stop })
}

/** What ends a delivery early. */
export interface StopSignals extends Pick<Retrying, 'isOver' | 'noMore'> {
  /** Aborts the attempt that is in flight. */
  readonly now: AbortSignal
}

async function attempt(
  { url, secret, fetch, clock }: DeliveryTarget,
  { id, body }: Delivery,
  signal: AbortSignal,
): Promise<SendFailure | undefined> {
  const headers = {
    'content-type': 'application/json',
    [deliveryHeader]: id,
    // Each attempt has a new signature, because receivers check its age.
    [signatureHeader]: signature(body, secret, clock.now()),
  }
  try {
    const { ok, status } = await fetch(url, { method: 'POST', headers, body, signal })
    return ok ? undefined : { reason: `${new URL(url).origin} answered ${status}`, isFinal: false }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return { reason: error.message, isFinal: error.reason === 'redirected' || isRefused(error) }
  }
}

/** A refused address may be found only when its name is resolved; then it is the cause of a failed connection. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof FetchFailed)) return false
  return error.reason === 'address_refused' || isRefused(error.cause)
}
