import { createTransport, type Transporter } from 'nodemailer'
import { type Clock, systemClock } from '../../base/clock.ts'
import { BadArgument } from '../../base/errors.ts'
import { isLoopback } from '../../elicitation/asking/url.ts'
import type { Channel } from '../../elicitation/channel.ts'
import { isSettled } from '../../elicitation/elicitation.ts'
import { createOutbox } from '../delivery/outbox.ts'
import type { QuietHours } from '../delivery/quiet-hours.ts'
import { type AddressBook, addressesToTell } from '../delivery/recipients.ts'
import { type SendFailure, usualRetries } from '../delivery/retry.ts'
import { mailAbout } from './message.ts'

/** Options of `mailChannel`. */
export interface MailOptions {
  /** `smtps://user:password@host:465`, or `smtp://…` for a server that starts TLS itself. */
  readonly smtp: string
  /** The sender, such as `Assent <assent@example.com>`. */
  readonly from: string
  /** The mail address of each participant and group. */
  readonly to: AddressBook
  /** The channel's name in events, logs and rules. Default: `mail`. */
  readonly name?: string
  /** Further questions to the same address are gathered for so long, in milliseconds. Default: a minute. */
  readonly gatherMs?: number
  /** When only urgent questions are sent. Default: never. */
  readonly quiet?: QuietHours
  /** Sends also where the server offers no TLS. Default: only to a server on this machine. */
  readonly allowPlain?: boolean
  /** The wait before each retry, in milliseconds. Default: four retries within a minute. */
  readonly retries?: readonly number[]
  /** How long the server may take for each of its answers, in milliseconds. Default: 10000. */
  readonly timeoutMs?: number
  /** Default: the system clock. */
  readonly clock?: Clock
}

/** Writes a mail to those who are asked, with a link to the question and nothing of what is asked. */
export function mailChannel(options: MailOptions): Channel {
  const { from, to, name = 'mail', gatherMs = 60_000, quiet, retries = usualRetries, clock = systemClock } = options
  const transport = transportFor(options)
  const outbox = createOutbox({
    clock,
    retries,
    gatherMs,
    ...(quiet && { quiet }),
    async attempt(address, notices) {
      const { subject, text } = mailAbout(notices)
      const isUrgent = notices.some(({ elicitation }) => elicitation.priority === 'urgent')
      try {
        await transport.sendMail({
          from,
          to: address,
          subject,
          text,
          // Keeps out-of-office messages from being sent in reply.
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
          ...(isUrgent && { priority: 'high' as const }),
        })
        return undefined
      } catch (error) {
        return asFailure(error)
      }
    },
  })

  return {
    name,
    async tell(elicitation, link) {
      // A sent mail cannot be changed: its page says how the question ended.
      if (isSettled(elicitation)) return outbox.drop(elicitation.id)
      const addresses = addressesToTell(elicitation, to, name)
      await Promise.all(addresses.map((address) => outbox.add(address, { elicitation, link })))
    },
    async close() {
      await outbox.close()
      transport.close()
    },
  }
}

function transportFor({ smtp, allowPlain, timeoutMs = 10_000 }: MailOptions): Transporter {
  const url = URL.canParse(smtp) ? new URL(smtp) : undefined
  if (url?.protocol !== 'smtp:' && url?.protocol !== 'smtps:') {
    throw new BadArgument('The mail server is an address such as smtps://user:password@mail.example.com:465.')
  }
  const isSecure = url.protocol === 'smtps:'
  return createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isSecure ? 465 : 587)),
    secure: isSecure,
    requireTLS: !(allowPlain ?? isLoopback(url.hostname)),
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The message of the error may hold what the server said, which may hold anything: only codes are kept. */
function asFailure(error: unknown): SendFailure {
  const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number }
  if (responseCode !== undefined) {
    return { reason: `the mail server answered ${responseCode}`, isFinal: responseCode >= 500 }
  }
  return { reason: `the mail server could not be reached (${code ?? 'unknown'})`, isFinal: code === 'ETLS' }
}
