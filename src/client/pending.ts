import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../base/json.ts'
import { outcomeKey } from '../mcp/names.ts'
import type { Conversation } from './conversation.ts'
import type { HumanTime } from './human-time.ts'
import { type WatchedPage, watchPage } from './page/watch-page.ts'
import { readAsk } from './question/read-ask.ts'

const againMs = 2_000

/** A call that somebody else must answer first, waited for by sending it again now and then. */
export interface Pending {
  /** Resolves when it is time to send the call again. False: the person does not want to wait. */
  isToBeSentAgain(): Promise<boolean>
  close(): void
}

/** The words of a result that says "not yet: somebody must answer first"; undefined for any other. */
export function pendingText(result: Record<string, unknown>): string | undefined {
  const meta = isPlainObject(result._meta) ? result._meta : {}
  const outcome = meta[outcomeKey]
  if (!isPlainObject(outcome) || outcome.status !== 'pending') return undefined
  const [first] = Array.isArray(result.content) ? result.content : []
  return isPlainObject(first) && typeof first.text === 'string' ? first.text : 'Somebody must answer first.'
}

/** Shows the wait once, however often the call is sent again. */
export function waitPending(conversation: Conversation, human: HumanTime, text: string): Pending {
  const waiting: WatchedPage = watchPage(conversation, readAsk(conversation, text), '')
  return {
    async isToBeSentAgain() {
      const said = await human.spend((signal) =>
        Promise.race([waiting.said, sleep(againMs, 'again' as const, { signal })]),
      )
      return said !== 'cancel'
    },
    close: waiting.close,
  }
}
