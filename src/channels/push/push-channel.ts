import { type Clock, systemClock } from '../../base/clock.ts'
import { BadArgument } from '../../base/errors.ts'
import { FetchFailed, type GuardedFetch, guardedFetch } from '../../base/guarded-fetch.ts'
import { isLoopbackAddress, isPublicAddress, isUrl } from '../../base/public-address.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { isSettled, lastMoment } from '../../elicitation/elicitation.ts'
import type { PushSubscriptions } from '../../participant/push-subscriptions.ts'
import { createOutbox, type Notice } from '../delivery/outbox.ts'
import type { QuietHours } from '../delivery/quiet-hours.ts'
import { namesToTell } from '../delivery/recipients.ts'
import { NotDelivered, type SendFailure, usualRetries } from '../delivery/retry.ts'
import { encryptFor } from './encrypt.ts'
import { type PushText, pushAbout, testMessage } from './message.ts'
import { authorization, type VapidKey, vapidKey } from './vapid.ts'

/** Options of `pushChannel`. */
export interface PushOptions {
  /** Whom push services write to when something is wrong: `mailto:ops@example.com`, or an address with https. */
  readonly contact: string
  /** The channel's name in events, logs and rules. Default: `push`. */
  readonly name?: string
  /** Further questions to the same browser are gathered for so long, in milliseconds. Default: 20 seconds. */
  readonly gatherMs?: number
  /** When only urgent questions are sent. Default: never. */
  readonly quiet?: QuietHours
  /** Also sends to a push service in a private network, or on this machine. Default: public addresses only. */
  readonly allowPrivate?: boolean
  /** The wait before each retry, in milliseconds. Default: four retries within a minute. */
  readonly retries?: readonly number[]
  /** How long one attempt may take, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number
  /** Default: the system clock. */
  readonly clock?: Clock
}

/** Tells browsers that people switched notifications on in, by the push services of their makers. */
export function pushChannel(options: PushOptions): Channel {
  const { contact, name = 'push', gatherMs = 20_000, quiet, retries = usualRetries, clock = systemClock } = options
  const { allowPrivate = false, timeoutMs = 10_000 } = options
  if (!isContact(contact)) {
    throw new BadArgument('The contact for push services is an address such as mailto:ops@example.com.')
  }
  const fetch = guardedFetch({ reach: allowPrivate ? 'anywhere' : 'internet', timeoutMs, maxBytes: 65_536 })
  let subscriptions: PushSubscriptions | undefined
  let vapid: VapidKey | undefined
  /** Questions whose browsers are being looked up. */
  const finding = new Map<string, object>()

  const send = async (key: string, text: PushText, how: Sending) => {
    const found = await subscriptions?.find(key)
    if (found === undefined || vapid === undefined) return undefined
    const { endpoint } = found.target
    const headers = {
      authorization: authorization(vapid, endpoint, contact, clock.now()),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(how.seconds),
      urgency: how.isUrgent ? 'high' : 'normal',
    }
    const body = encryptFor(found.target, JSON.stringify(text))
    const { status, failure } = await post(fetch, endpoint, { headers, body })
    // The browser withdrew, or the service forgot it.
    if (status === 404 || status === 410) {
      await subscriptions?.remove(found.one.participant, found.one.id, 'push-service')
    }
    return failure
  }

  const outbox = createOutbox({
    clock,
    retries,
    gatherMs,
    ...(quiet && { quiet }),
    attempt: (key, notices) => send(key, pushAbout(notices), sendingOf(notices, clock.now())),
  })

  return {
    name,
    begin(desk) {
      subscriptions = desk.subscriptions
      vapid = vapidKey(subscriptions.seed)
    },
    browsers: {
      publicKey: () => vapid?.publicKey ?? '',
      accepts: (endpoint) => mayReach(endpoint, allowPrivate),
      async test(key) {
        const failure = await send(key, testMessage, { seconds: 60, isUrgent: true })
        const isGone = (await subscriptions?.find(key)) === undefined
        if (failure !== undefined && !isGone) throw new NotDelivered(failure.reason)
      },
    },
    async tell(elicitation, link) {
      // A notification that was sent stays: its page says how the question ended.
      const { id } = elicitation
      if (isSettled(elicitation)) {
        finding.delete(id)
        return outbox.drop(id)
      }
      const mine = {}
      finding.set(id, mine)
      const told = (await subscriptions?.of(namesToTell(elicitation, name))) ?? []
      // Settled meanwhile, or told again with what is true now.
      if (finding.get(id) !== mine) return
      finding.delete(id)
      await Promise.all(told.map(({ key }) => outbox.add(key, { elicitation, link })))
    },
    close: () => outbox.close(),
  }
}

interface Sending {
  /** How long the push service keeps the message for a browser that is not there. */
  readonly seconds: number
  readonly isUrgent: boolean
}

function sendingOf(notices: readonly Notice[], now: Date): Sending {
  const left = Math.max(...notices.map(({ elicitation }) => lastMoment(elicitation).getTime() - now.getTime()))
  return {
    seconds: Math.max(0, Math.floor(left / 1_000)),
    isUrgent: notices.some(({ elicitation }) => elicitation.priority === 'urgent'),
  }
}

interface PushReply {
  readonly status?: number
  readonly failure?: SendFailure
}

async function post(
  fetch: GuardedFetch,
  endpoint: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
): Promise<PushReply> {
  try {
    const { ok, status } = await fetch(endpoint, { method: 'POST', ...request })
    if (ok) return { status }
    const isFinal = status < 500 && status !== 429 && status !== 408
    return { status, failure: { reason: `${new URL(endpoint).origin} answered ${status}`, isFinal } }
  } catch (error) {
    if (!(error instanceof FetchFailed)) throw error
    return { failure: { reason: error.message, isFinal: error.reason === 'redirected' || isRefused(error) } }
  }
}

/** A refused address may be found only when its name is resolved; then it is the cause of a failed connection. */
function isRefused(error: unknown): boolean {
  return error instanceof FetchFailed && (error.reason === 'address_refused' || isRefused(error.cause))
}

/** What is written as numbers is judged at once, and names when they are resolved to send. */
function mayReach(endpoint: string, allowPrivate: boolean): boolean {
  if (!isUrl(endpoint)) return false
  const { protocol, username, password, hostname } = new URL(endpoint)
  if (username !== '' || password !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return allowPrivate && isLoopbackAddress(host)
  const isName = !/^[\d.]+$|:/.test(host)
  return protocol === 'https:' && (allowPrivate || isPublicAddress(host) || (isName && host !== 'localhost'))
}

function isContact(text: string): boolean {
  return isUrl(text) && ['mailto:', 'https:'].includes(new URL(text).protocol)
}
