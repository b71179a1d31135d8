import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { BadArgument } from '../base/errors.ts'
import { acceptHosts } from '../base/request-source.ts'
import { isLoopback } from '../elicitation/asking/url.ts'
import { createRates, type Rates } from './http/rates.ts'
import { createInboxStreams, type InboxStreams } from './inbox/inbox-streams.ts'
import type { AssentForWeb } from './needs.ts'
import { type CustomPage, defaultWebLimits, type TrustedProxy, type WebLimits, type WebOptions } from './options.ts'
import type { Viewer } from './viewer/viewer.ts'

/** One installation's pages, as every route knows them. */
export interface Site {
  readonly assent: AssentForWeb
  readonly origin: string
  readonly isSecure: boolean
  /** Neither login nor proxy: one local participant, on this machine, by enrolled browsers. */
  readonly isLocal: boolean
  readonly proxy: TrustedProxy | undefined
  readonly custom: ReadonlyMap<string, CustomPage>
  readonly limits: WebLimits
  readonly rates: Rates
  readonly streams: InboxStreams
  readonly isHostAccepted: ReturnType<typeof acceptHosts>
  readonly enrolledMs: number
  readonly onError: (error: unknown) => void
}

/** What a request carries from one step of its handling to the next. */
export interface WebEnv {
  Bindings: { readonly incoming?: Pick<IncomingMessage, 'socket'> }
  Variables: {
    site: Site
    nonce: string
    viewer?: Viewer
    /** Where forms of this page may lead besides our own addresses, in the words of a content security policy. */
    formTargets?: string
    /** Whether this page keeps itself up to date, for which its script talks to us. */
    isLive?: boolean
  }
}

export type WebContext = Context<WebEnv>

/** First parts of paths that are pages of ours. */
const reserved = new Set(['enroll', 'login', 'logout', 'oauth', 'connections', 'browsers', 'inbox', 'grants', 'audit'])
const dayMs = 24 * 3_600_000

/** Refuses settings under which the wrong people would be served. */
export function siteFrom(assent: AssentForWeb, options: WebOptions): Site {
  const { proxy, allowedHosts = [], browserDays = 90 } = options
  const { publicUrl, prefix } = assent.pages
  const url = new URL(publicUrl)
  const isLocal = assent.login === undefined && proxy === undefined
  if (isLocal && !isLoopback(url.hostname)) {
    throw new BadArgument('Without a login pages serve this machine only. Set a login, or a publicUrl on loopback.')
  }
  if (isLocal && allowedHosts.length > 0) {
    throw new BadArgument('Without a login pages serve this machine only. Leave out allowedHosts, or set a login.')
  }
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new BadArgument('Pages outside this machine need https. Set a publicUrl that begins with https://.')
  }
  if (url.pathname !== '/') throw new BadArgument('Pages need a host of their own. Set a publicUrl without a path.')
  if (!/^[\w-]+(\/[\w-]+)*$/.test(prefix) || reserved.has(prefix.split('/')[0] as string)) {
    throw new BadArgument(`"${prefix}" cannot be the prefix of question pages.`)
  }
  const limits = { ...defaultWebLimits, ...options.limits }
  return {
    assent,
    origin: url.origin,
    isSecure: url.protocol === 'https:',
    isLocal,
    proxy,
    custom: new Map(Object.entries(options.pages ?? {})),
    limits,
    rates: createRates(limits),
    streams: createInboxStreams(assent, limits.streamsPerPerson),
    isHostAccepted: acceptHosts([url.hostname, ...allowedHosts]),
    enrolledMs: browserDays * dayMs,
    onError: options.onError ?? (() => {}),
  }
}
