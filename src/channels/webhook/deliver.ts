import type { Clock } from '../../base/clock.ts'
import { FetchFailed, type GuardedFetch } from '../../base/guarded-fetch.ts'
import { deliveryHeader, signature, signatureHeader } from './sign.ts'

export interface Delivery {
  /** The same for each try. */
  readonly id: string
  readonly body: string
}

export interface DeliveryTarget {
  readonly url: string
  readonly secret: string
  readonly fetch: GuardedFetch
  readonly clock: Clock
  /** How long to wait before each further try, in milliseconds. */
  readonly retries: readonly number[]
}

/** When to stop, and how. */
export interface StopSignals {
  /** Nobody needs it any more: no further try. */
  isOver(): boolean
  /** Aborts: no further try, and the one who waits for the next goes home. */
  readonly noMore: AbortSignal
  /** Aborts what is under way. */
  readonly now: AbortSignal
}

/** A webhook was not told. The message holds nothing of its address but the origin. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

/** Sends it, again and again where that may help. Throws `NotDelivered` when it gives up. */
export async function deliver(target: DeliveryTarget, delivery: Delivery, stop: StopSignals): Promise<void> {
  const { clock, retries } = target
  for (let tries = 1; ; tries += 1) {
    if (stop.isOver()) return
    const failure = await attempt(target, delivery, stop.now)
    if (failure === undefined) return
    const waitMs = retries[tries - 1]
    if (waitMs === undefined || failure.isFinal || stop.noMore.aborted) {
      throw new NotDelivered(`${failure.reason} (after ${tries} ${tries === 1 ? 'try' : 'tries'})`)
    }
    await pause(clock, waitMs, stop.noMore)
    if (stop.noMore.aborted) throw new NotDelivered(`${failure.reason} (and then it was closed)`)
  }
}

interface Failure {
  readonly reason: string
  /** Trying again would end the same. */
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
    // Signed anew each time: a receiver judges its age.
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

/** An address may be refused when its name is looked up, which comes as the cause of a failed connection. */
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
