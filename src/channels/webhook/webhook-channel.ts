import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type GuardedFetch, guardedFetch } from '../../base/guarded-fetch.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import { isToldBy } from '../delivery/recipients.ts'
import { NotDelivered, usualRetries } from '../delivery/retry.ts'
import { createSendQueue } from '../delivery/send-queue.ts'
import { type DeliveryTarget, deliver } from './deliver.ts'
import { messageAbout } from './message.ts'

/** Options of `webhookChannel`. */
export interface WebhookOptions {
  /** Where messages are posted to; https; with `allowPrivate` also http on this machine. */
  readonly url: string
  /** Signs the deliveries. The receiver needs it to verify them. */
  readonly secret: string
  /** The channel's name in events and logs. Default: `webhook`. */
  readonly name?: string
  /** Allows addresses of private networks, and of this machine, also with http. Default: public addresses only. */
  readonly allowPrivate?: boolean
  /** The wait before each retry, in milliseconds. Default: four retries within a minute. */
  readonly retries?: readonly number[]
  /** How long one attempt may take, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number
  /** Default: the system clock. */
  readonly clock?: Clock
  /** Sends the requests. Default: a fetch that refuses the addresses that `allowPrivate` does not allow. */
  readonly fetch?: GuardedFetch
}

const mostWaiting = 1_000
const mostAtOnce = 4
/** How long attempts in flight may take after the channel is closed. */
const closingMs = 3_000

/** Posts a signed message to a URL when a question is asked and when it is settled. Queues at most 1000 messages. */
export function webhookChannel(options: WebhookOptions): Channel {
  const { url, secret, name = 'webhook', allowPrivate = false, retries = usualRetries, timeoutMs = 5_000 } = options
  if (secret === '') throw new TypeError('A webhook needs a secret. Set `secret`.')
  const clock = options.clock ?? systemClock
  const reach = allowPrivate ? 'anywhere' : 'internet'
  const fetch = options.fetch ?? guardedFetch({ reach, timeoutMs, maxBytes: 65_536 })
  const target: DeliveryTarget = { url, secret, fetch, clock, retries }
  const queue = createSendQueue(mostAtOnce, mostWaiting)
  /** Questions that are asked, and whose message is not delivered yet. */
  const announcing = new Map<string, { isOver: boolean }>()
  const closing = new AbortController()
  const closed = new AbortController()

  return {
    name,
    async tell(elicitation, link) {
      if (closing.signal.aborted) throw new NotDelivered('The channel is closed.')
      if (!isToldBy(elicitation, name)) return
      const { id } = elicitation
      const body = JSON.stringify(messageAbout(elicitation, link))
      const mine = { isOver: false }
      if (isSettled(elicitation)) {
        // Nobody should be sent to a settled question.
        const asked = announcing.get(id)
        if (asked !== undefined) asked.isOver = true
      } else announcing.set(id, mine)

      const stop = { isOver: () => mine.isOver, noMore: closing.signal, now: closed.signal }
      try {
        await queue.run(() => deliver(target, { id: randomUUID(), body }, stop))
      } finally {
        if (announcing.get(id) === mine) announcing.delete(id)
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
