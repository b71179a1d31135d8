import { AssentError } from '../base/errors.ts'
import type { Desk } from './desk.ts'
import { type Elicitation, type ElicitationId, isSettled, lastMoment } from './elicitation.ts'
import { look } from './settle.ts'

export interface Waiting {
  /** How long to wait at most, in milliseconds; until the question settles, unless said otherwise. */
  readonly timeoutMs?: number
  /** The one who waits has gone. */
  readonly signal?: AbortSignal
}

const retryStoreMs = 250

/**
 * Waits until the question is settled, by whatever process, and gives it back; still open when the time is up or the
 * signal aborts. A store that is down is waited for: the question is in it, and its answer may be too.
 */
export async function wait(desk: Desk, id: ElicitationId, { timeoutMs, signal }: Waiting = {}): Promise<Elicitation> {
  const bell = createBell()
  const timer = timeoutMs === undefined ? undefined : desk.clock.after(timeoutMs, bell.end)
  signal?.addEventListener('abort', bell.end, { once: true })
  // Watched before it is looked at: an answer that comes in between rings.
  const unwatch = desk.changes.watch(id, bell.ring)
  try {
    for (;;) {
      const over = bell.ended() || signal?.aborted === true
      const seen = await lookPatiently(desk, id, over)
      if (seen !== undefined && (isSettled(seen) || over)) return seen
      const nextLookMs = seen === undefined ? retryStoreMs : lastMoment(seen).getTime() - desk.clock.now().getTime()
      const callOff = desk.clock.after(nextLookMs, bell.ring)
      await bell.rung()
      callOff()
    }
  } finally {
    unwatch()
    timer?.()
    signal?.removeEventListener('abort', bell.end)
  }
}

/** Undefined: the store is down, and there is time left to try again. */
async function lookPatiently(desk: Desk, id: ElicitationId, over: boolean): Promise<Elicitation | undefined> {
  try {
    return await look(desk, id)
  } catch (error) {
    if (!over && error instanceof AssentError && error.code === 'store_unavailable') return undefined
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
