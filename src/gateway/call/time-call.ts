import type { Events } from '../../base/events.ts'
import type { CallEnded, GatewayNews } from '../../call/news.ts'
import { AskRefused } from '../../mcp/refusal.ts'

/** Keeps the time of one call. */
export interface CallTiming {
  /** Does work that others take time for. */
  elsewhere<T>(work: () => Promise<T>): Promise<T>
  /** A person is waited for, so the time says nothing of us. */
  asked(): void
  /** The call was made, and ended so. */
  sent(outcome: 'done' | 'failed'): void
}

/** Runs a call and tells how it ended. */
export async function timeCall<T>(
  news: Events<GatewayNews> | undefined,
  server: string,
  run: (timing: CallTiming) => Promise<T>,
): Promise<T> {
  const begun = performance.now()
  let elsewhereMs = 0
  let isAsked = false
  let outcome: CallEnded['outcome'] = 'failed'
  const timing: CallTiming = {
    async elsewhere(work) {
      const left = performance.now()
      try {
        return await work()
      } finally {
        elsewhereMs += performance.now() - left
      }
    },
    asked() {
      isAsked = true
    },
    sent(end) {
      outcome = end
    },
  }
  try {
    return await run(timing)
  } catch (error) {
    if (error instanceof AskRefused && error.status !== 'failed') outcome = 'refused'
    throw error
  } finally {
    const durationMs = performance.now() - begun
    const ownMs = isAsked ? undefined : Math.max(0, durationMs - elsewhereMs)
    news?.tell({ kind: 'call-ended', server, outcome, durationMs, ...(ownMs !== undefined && { ownMs }) })
  }
}
