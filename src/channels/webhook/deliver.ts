import type { Clock } from '../../base/clock.ts'
import { FetchFailed, type GuardedFetch } from '../../base/guarded-fetch.ts'
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

/** What ends a delivery early. */
export interface StopSignals {
  /** Whether the message is obsolete: then no attempt is made. */
  isOver(): boolean
  /** Aborts when no retry may follow; a wait for the next retry ends. */
  readonly noMore: AbortSignal
  /** Aborts the attempt that is in flight. */
  readonly now: AbortSignal
}

/** A delivery failed. The message names only the origin of the webhook's address. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

/** Sends a message, with retries where they may help. Throws `NotDelivered` when it gives up. */
export async function deliver(target: DeliveryTarget, delivery: Delivery, stop: StopSignals): Promise<void> {
  const { clock, retries } = target
  for (let attempts = 1; ; attempts += 1) {
    if (stop.isOver()) return
    const failure = await attempt(target, delivery, stop.now)
    if (failure === undefined) return
    const waitMs = retries[attempts - 1]
    if (waitMs === undefined || failure.isFinal || stop.noMore.aborted) {
      throw new NotDelivered(`${failure.reason} (after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`)
    }
    await pause(clock, waitMs, stop.noMore)
    if (stop.noMore.aborted) throw new NotDelivered(`${failure.reason} (not retried: the channel was closed)`)
  }
}

interface Failure {
  readonly reason: string
  /** Whether a retry would fail in the same way. */
  readonly isFinal: boolean
}

async function attempt(
  { url, secret, fetch, clock }: DeliveryTarget,
  { id, body }: Delivery,
  signal: AbortSignal,
): Promise<Failure | undefined> {
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

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      callOff()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const callOff = clock.after(ms, end)
    signal.addEventListener('abort', end)
  })
}
