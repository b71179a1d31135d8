import { AssentError } from '../base/errors.ts'
import type { Desk, Waits } from './desk.ts'
import { type Elicitation, type ElicitationId, isSettled, lastMoment } from './elicitation.ts'
import { mustExist } from './errors.ts'
import { get } from './settle.ts'
import { nextEscalation } from './voting/voting.ts'

export interface WaitOptions {
  /** How long to wait at most, in milliseconds; until the question settles, unless said otherwise. */
  readonly timeoutMs?: number
  /** The one who waits has gone. */
  readonly signal?: AbortSignal
}

const retryStoreMs = 250

/**
 * Waits until the question is settled, by whatever process, and gives it back; still open when the time is up or the
 * signal aborts, or waits end because Assent stops. A store that is down is waited for: the question is in it, and its answer may be too.
 */
export async function wait(
  desk: Desk,
  id: ElicitationId,
  { timeoutMs, signal }: WaitOptions = {},
): Promise<Elicitation> {
  const bell = createBell()
  const timer = timeoutMs === undefined ? undefined : desk.clock.after(timeoutMs, bell.end)
  signal?.addEventListener('abort', bell.end, { once: true })
  if (signal?.aborted) bell.end()
  const forget = desk.waits.add(bell.end)
  // Watched before it is looked at: an answer that comes in between rings.
  const unwatch = desk.changes.watch(id, bell.ring)
  try {
    for (;;) {
      const seen = await lookOnce(desk, id, bell.ended())
      if (typeof seen === 'object') return seen
      const callOff = desk.clock.after(seen, bell.ring)
      await bell.rung()
      callOff()
    }
  } finally {
    unwatch()
    timer?.()
    forget()
    signal?.removeEventListener('abort', bell.end)
  }
}

/** The question, if there is nothing more to wait for; else in how many milliseconds to look again, whatever happens. */
async function lookOnce(desk: Desk, id: ElicitationId, isLast: boolean): Promise<Elicitation | number> {
  try {
    const seen = mustExist(await get(desk, id), id)
    // Settled by another process, which does not know who is connected to this one.
    if (isSettled(seen)) desk.attended.delete(id)
    if (isSettled(seen) || isLast) return seen
    const next = nextEscalation(seen) ?? lastMoment(seen)
    return next.getTime() - desk.clock.now().getTime()
  } catch (error) {
    if (!isLast && error instanceof AssentError && error.code === 'store_unavailable') return retryStoreMs
    throw error
  }
}

interface Bell {
  ring(): void
  /** Rings, and stays rung. */
  end(): void
  ended(): boolean
  /** Resolves at the next ring, at once if it rang since the last time. */
  rung(): Promise<void>
}

function createBell(): Bell {
  let rang = false
  let over = false
  let hear: (() => void) | undefined
  const ring = () => {
    rang = true
    hear?.()
  }
  return {
    ring,
    end() {
      over = true
      ring()
    },
    ended: () => over,
    async rung() {
      if (!rang) await new Promise<void>((resolve) => (hear = resolve))
      rang = false
    },
  }
}

export function createWaits(): Waits {
  const ends = new Set<() => void>()
  let areOver = false
  return {
    add(end) {
      if (areOver) end()
      else ends.add(end)
      return () => ends.delete(end)
    },
    endAll() {
      areOver = true
      for (const end of ends) end()
    },
  }
}
