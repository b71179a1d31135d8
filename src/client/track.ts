import { setTimeout as sleep } from 'node:timers/promises'
import { visibleText } from '../base/text/visible-text.ts'
import type { ClientLeg } from './leg/leg.ts'
import { CallRefused } from './refused.ts'

/** What a server says that waited as long as it would: it may be asked again. */
const timedOut = -31_001
const againMs = 1_000

/** Asks the server how a page ended, and tells its progress. Never resolves where it cannot tell: then others decide. */
export async function track(
  leg: ClientLeg,
  elicitationId: string,
  tell: (progress: string) => void,
  signal: AbortSignal,
): Promise<'completed'> {
  if (!leg.canTrack()) return never()
  const onProgress = ({ message, progress }: { message?: string | undefined; progress: number }) =>
    tell(visibleText(message ?? `${progress}`))
  for (;;) {
    // Each with a signal of its own: the older SDK leaves its listeners behind.
    const tracked = await leg
      .request('elicitation/track', { elicitationId }, { signal: AbortSignal.any([signal]), onProgress })
      .catch((error: unknown) => ({ code: (error as { code?: unknown } | undefined)?.code }))
    if (signal.aborted) return never()
    if ('code' in tracked) {
      if (tracked.code !== timedOut) return never()
      await sleep(againMs, undefined, { signal }).catch(never)
      continue
    }
    return endOf(tracked)
  }
}

function endOf({ status, error }: { status?: unknown; error?: unknown }): 'completed' | Promise<never> {
  switch (status) {
    case 'complete':
    // A no is the server's to tell, as the result of the call.
    case 'declined':
    case 'cancelled':
      return 'completed'
    case 'expired':
      throw new CallRefused('expired', 'The page timed out: nobody finished it in time.')
    case 'failed':
      throw new CallRefused('failed', visibleText(typeof error === 'string' ? error : 'What the page was for failed.'))
    default:
      return never()
  }
}

const never = () => new Promise<never>(() => {})
