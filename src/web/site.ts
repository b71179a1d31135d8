import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { milliseconds } from '../base/durations.ts'
import { BadArgument } from '../base/errors.ts'
import { type AddressList, acceptHosts, addressList, isAddressOrRange } from '../base/request-source.ts'
import { isLoopback } from '../elicitation/asking/url.ts'
import type { Browser } from '../participant/browser.ts'
import type { Person } from '../participant/identify.ts'
import type { ApiToken } from '../participant/owned.ts'
import { type AuditCheck, createAuditCheck } from './console/audit-check.ts'
import { type ConsoleStreams, createConsoleStreams } from './console/console-streams.ts'
import type { ConsoleSources } from './console/sources.ts'
import { createRates, createRepeats, type Rates, type Repeats } from './http/rates.ts'
import { createInboxStreams, type InboxStreams } from './inbox/inbox-streams.ts'
import type { AssentForWeb } from './needs.ts'
import { type CustomPage, defaultWebLimits, type TrustedProxy, type WebLimits, type WebOptions } from './options.ts'
import type { PasskeyNeed } from './pages/props.ts'
import type { Viewer } from './viewer/viewer.ts'

/** The settings and shared state of one installation's pages. */
export interface Site {
  readonly assent: AssentForWeb
  readonly origin: string
  readonly isSecure: boolean
  /** Neither login nor proxy: the pages serve one local participant, on this machine, in enrolled browsers. */
  readonly isLocal: boolean
  readonly proxy: TrustedProxy | undefined
  /** The program that serves the pages names people in `env.person`, and nothing else does. */
  readonly isHosted: boolean
  /** Who may open the console, besides the local person. */
  readonly admins: readonly string[]
  /** Absent: these pages are served without a gateway. */
  readonly console: ConsoleSources | undefined
  readonly consoleStreams: ConsoleStreams
  readonly auditCheck: AuditCheck
  /** Whether the definitions of this server's tools are pinned, so that what is not allowed is held back. */
  readonly pinned: (server: string) => boolean
  readonly trustedProxies: AddressList
  readonly custom: ReadonlyMap<string, CustomPage>
  readonly limits: WebLimits
  readonly rates: Rates
  /** Pages that were refused to strangers. */
  readonly repeats: Repeats
  readonly streams: InboxStreams
  readonly isHostAccepted: ReturnType<typeof acceptHosts>
  readonly enrolledMs: number
  readonly signInMs: number
  readonly onError: (error: unknown) => void
}

/** What Hono keeps for each request. */
export interface WebEnv {
  Bindings: {
    readonly incoming?: Pick<IncomingMessage, 'socket'>
    /** Whom the program that serves the pages has verified. It counts only where the pages are hosted. */
    readonly person?: Person
  }
  Variables: {
    site: Site
    nonce: string
    viewer?: Viewer
    /** The browser of this request, once it was looked up. */
    browser?: { readonly found: Browser | undefined }
    /** The token of this request, once it was looked up. */
    token?: { readonly found: ApiToken | undefined }
    /** Further sources for `form-action` in the content security policy of this page. */
    formTargets?: string
    /** Whether the script of this page fetches updates, so that the content security policy must allow it. */
    isLive?: boolean
    /** Whether the script of this page uses passkeys, for which it fetches what to sign. */
    isSigning?: boolean
    /** Whether the script of this page registers the worker that shows notifications, and the page can be installed. */
    isInstallable?: boolean
    /** People who were here before, where the question of this page can be handed on. */
    seenPeople?: readonly Person[]
    /** There where a yes to the question of this page must be signed. */
    passkeyNeed?: PasskeyNeed
  }
}

export type WebContext = Context<WebEnv>

/** First segments of paths that other pages use. */
const reserved = new Set([
  'enroll',
  'login',
  'logout',
  'oauth',
  'connections',
  'browsers',
  'inbox',
  'grants',
  'audit',
  'passkeys',
  'console',
  'tokens',
  'api',
  'push',
  'app',
])
const dayMs = 24 * 3_600_000

/** Throws `BadArgument` for settings under which the wrong people would be served. */
export function siteFrom(assent: AssentForWeb, options: WebOptions): Site {
  const { proxy, isHosted = false, trustedProxies = [], allowedHosts = [], browserDays = 90, signIn = '1h' } = options
  const { publicUrl, prefix } = assent.pages
  const url = new URL(publicUrl)
  const isLocal = assent.login === undefined && proxy === undefined && !isHosted
  if (isLocal && !isLoopback(url.hostname)) {
    throw new BadArgument(
      'Without a login the pages serve this machine only. Configure a login, or set a publicUrl on loopback.',
    )
  }
  if (isLocal && allowedHosts.length > 0) {
    throw new BadArgument(
      'Without a login the pages serve this machine only. Leave out allowedHosts, or configure a login.',
    )
  }
  const unknown = trustedProxies.find((text) => !isAddressOrRange(text))
  if (unknown !== undefined) {
    throw new BadArgument(`"${unknown}" is neither an IP address nor a range. Write trustedProxies such as 10.0.0.0/8.`)
  }
  if (isLocal && trustedProxies.length > 0) {
    throw new BadArgument(
      'Without a login, requests that a proxy passed on are refused. Leave out trustedProxies, or configure a login.',
    )
  }
  if (url.protocol !== 'https:' && !isLoopback(url.hostname)) {
    throw new BadArgument('Pages that other machines can reach need https. Set a publicUrl that begins with https://.')
  }
  if (url.pathname !== '/')
    throw new BadArgument('The pages must be at the root of their host. Set a publicUrl without a path.')
  if (!/^[\w-]+(\/[\w-]+)*$/.test(prefix) || reserved.has(prefix.split('/')[0] as string)) {
    throw new BadArgument(
      `"${prefix}" cannot be the prefix of question pages. Use letters, digits, - and _, and no name of another page.`,
    )
  }
  const limits = { ...defaultWebLimits, ...options.limits }
  return {
    assent,
    origin: url.origin,
    isSecure: url.protocol === 'https:',
    isLocal,
    proxy,
    isHosted,
    admins: options.admins ?? [],
    console: options.console,
    consoleStreams: createConsoleStreams(assent, limits.streamsPerPerson),
    auditCheck: createAuditCheck(assent),
    pinned: (server) => options.pinned?.includes(server) ?? false,
    trustedProxies: addressList([...trustedProxies, ...(proxy?.from ?? [])]),
    custom: new Map(Object.entries(options.pages ?? {})),
    limits,
    rates: createRates(limits),
    repeats: createRepeats(assent.clock),
    streams: createInboxStreams(assent, limits.streamsPerPerson),
    isHostAccepted: acceptHosts([url.hostname, ...allowedHosts]),
    enrolledMs: browserDays * dayMs,
    signInMs: milliseconds(signIn),
    onError: options.onError ?? (() => {}),
  }
}
