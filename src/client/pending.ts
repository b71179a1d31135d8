import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../base/json.ts'
import { outcomeKey } from '../mcp/meta-keys.ts'
import type { ClientContext } from './client-context.ts'
import type { HumanTime } from './human-time.ts'
import { type PageWait, startPageWait } from './page/page-wait.ts'
import { visibleAsk } from './question/visible-ask.ts'

const retryMs = 2_000

/** Waiting for a call that somebody else must approve first. The call is sent again at intervals. */
export interface PendingWait {
  /** Resolves when it is time to send the call again; false if the person does not want to wait. */
  shouldRetry(): Promise<boolean>
  close(): void
}

/** The text of a result with the outcome `pending`; undefined for any other result. */
export function pendingText(result: Record<string, unknown>): string | undefined {
  const meta = isPlainObject(result._meta) ? result._meta : {}
  const outcome = meta[outcomeKey]
  if (!isPlainObject(outcome) || outcome.status !== 'pending') return undefined
  const [first] = Array.isArray(result.content) ? result.content : []
  return isPlainObject(first) && typeof first.text === 'string' ? first.text : 'Somebody must answer first.'
}

/** Shows one wait, however often the call is sent again. */
export function startPendingWait(context: ClientContext, human: HumanTime, text: string): PendingWait {
  const pageWait: PageWait = startPageWait(context, visibleAsk(context, text), '')
  return {
    async shouldRetry() {
      const reply = await human.spend((signal) =>
        Promise.race([pageWait.reply, sleep(retryMs, 'again' as const, { signal })]),
      )
      return reply !== 'cancel'
    },
    close: pageWait.close,
  }
}
