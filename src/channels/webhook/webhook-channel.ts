import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type GuardedFetch, guardedFetch } from '../../base/guarded-fetch.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import { type DeliveryTarget, deliver, NotDelivered } from './deliver.ts'
import { messageAbout } from './message.ts'
import { createSendQueue } from './send-queue.ts'

export interface WebhookOptions {
  readonly url: string
  /** What deliveries are signed with; the receiver knows it too. */
  readonly secret: string
  /** How news about it call it. Default: `webhook`. */
  readonly name?: string
  /** It may be on this machine, where http will do, or in a private network. Default: on the internet only. */
  readonly allowPrivate?: boolean
  /** How long to wait before each further try, in milliseconds. Default: four more tries within a minute. */
  readonly retries?: readonly number[]
  /** How long one try may take. Default: 5 s. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  readonly fetch?: GuardedFetch
}

const defaultRetries = [2_000, 6_000, 16_000, 36_000]
const mostWaiting = 1_000
const mostAtOnce = 4
/** What is under way when it closes gets so long to arrive. */
const closingMs = 3_000

/** Tells a web address, signed, that a question waits and that it no longer does. Holds a thousand; then the oldest goes. */
export function webhookChannel(options: WebhookOptions): Channel {
  const { url, secret, name = 'webhook', allowPrivate = false, retries = defaultRetries, timeoutMs = 5_000 } = options
  if (secret === '') throw new TypeError('A webhook needs a secret.')
  const clock = options.clock ?? systemClock
  const reach = allowPrivate ? 'anywhere' : 'internet'
  const fetch = options.fetch ?? guardedFetch({ reach, timeoutMs, maxBytes: 65_536 })
  const target: DeliveryTarget = { url, secret, fetch, clock, retries }
  const queue = createSendQueue(mostAtOnce, mostWaiting)
  /** Questions whose asking is still to be told. */
  const untold = new Map<string, { isOver: boolean }>()
  const closing = new AbortController()
  const closed = new AbortController()

  return {
    name,
    async tell(elicitation, link) {
      if (closing.signal.aborted) throw new NotDelivered('It was closed before.')
      const { id } = elicitation
      const body = JSON.stringify(messageAbout(elicitation, link))
      const mine = { isOver: false }
      if (isSettled(elicitation)) {
        // Nobody should be called to a question that is settled.
        const asked = untold.get(id)
        if (asked !== undefined) asked.isOver = true
      } else untold.set(id, mine)

      const stop = { isOver: () => mine.isOver, noMore: closing.signal, now: closed.signal }
      try {
        await queue.run(() => deliver(target, { id: randomUUID(), body }, stop))
      } finally {
        if (untold.get(id) === mine) untold.delete(id)
      }
    },
    async close() {
      closing.abort()
      queue.empty()
      const timer = setTimeout(() => closed.abort(), closingMs)
      await queue.allDone()
      clearTimeout(timer)
    },
  }
}
