import { setTimeout as sleep } from 'node:timers/promises'
import { visibleText } from '../../base/text/visible-text.ts'
import { codes } from '../../mcp/codes.ts'
import type { ClientAdapter } from '../adapter/adapter.ts'
import { CallRefused } from '../call-refused.ts'

const retryMs = 1_000

/** Asks the server how a page ended, and shows its progress. Never resolves if the server cannot tell. */
export async function trackPage(
  adapter: ClientAdapter,
  elicitationId: string,
  showProgress: (progress: string) => void,
  signal: AbortSignal,
): Promise<'completed'> {
  if (!adapter.canTrack()) return never()
  const onProgress = ({ message, progress }: { message?: string | undefined; progress: number }) =>
    showProgress(visibleText(message ?? `${progress}`))
  for (;;) {
    // Each request has a signal of its own, because the v1 SDK does not remove its listeners.
    const tracked = await adapter
      .request('elicitation/track', { elicitationId }, { signal: AbortSignal.any([signal]), onProgress })
      .catch((error: unknown) => ({ code: (error as { code?: unknown } | undefined)?.code }))
    if (signal.aborted) return never()
    if ('code' in tracked) {
      if (tracked.code !== codes.refused) return never()
      await sleep(retryMs, undefined, { signal }).catch(never)
      continue
    }
    return pageEndOf(tracked)
  }
}

function pageEndOf({ status, error }: { status?: unknown; error?: unknown }): 'completed' | Promise<never> {
  switch (status) {
    case 'complete':
    // The server reports a refusal as the result of the call.
    case 'declined':
    case 'cancelled':
      return 'completed'
    case 'expired':
      throw new CallRefused('expired', 'The page timed out: it was not completed in time.')
    case 'failed':
      throw new CallRefused(
        'failed',
        visibleText(typeof error === 'string' ? error : 'The server reports that the page failed.'),
      )
    default:
      return never()
  }
}

const never = () => new Promise<never>(() => {})
