import type { Clock } from '../../base/clock.ts'

/** A message was not delivered. Its text holds no secret and no address beyond the name of the service. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

/** Why an attempt to send failed. */
export interface SendFailure {
  readonly reason: string
  /** Whether a retry would fail in the same way. */
  readonly isFinal: boolean
}

/** The wait before each retry, in milliseconds: four retries within a minute. */
export const usualRetries: readonly number[] = [2_000, 6_000, 16_000, 36_000]

/** How and until when a message is sent again. */
export interface Retrying {
  readonly clock: Clock
  /** The wait before each retry, in milliseconds. */
  readonly retries: readonly number[]
  /** Whether the message is obsolete: then no attempt is made. */
  isOver(): boolean
  /** Aborts when no retry may follow; a wait for the next retry ends. */
  readonly noMore: AbortSignal
}

/** Sends a message, with retries where they may help. Throws `NotDelivered` when it gives up. */
export async function withRetries(attempt: () => Promise<SendFailure | undefined>, how: Retrying): Promise<void> {
  const { clock, retries, noMore } = how
  for (let attempts = 1; ; attempts += 1) {
    if (how.isOver()) return
    const failure = await attempt()
    if (failure === undefined) return
    const waitMs = retries[attempts - 1]
    if (waitMs === undefined || failure.isFinal || noMore.aborted) {
      throw new NotDelivered(`${failure.reason} (after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'})`)
    }
    await pause(clock, waitMs, noMore)
    if (noMore.aborted) throw new NotDelivered(`${failure.reason} (not retried: the channel was closed)`)
  }
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
