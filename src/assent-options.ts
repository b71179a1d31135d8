import type { PolicySettings } from './approval/policy/policy-settings.ts'
import type { Stored } from './audit/tell-stored.ts'
import type { Clock } from './base/clock.ts'
import { type Duration, milliseconds } from './base/durations.ts'
import type { Provider } from './connection/provider.ts'
import type { Channel } from './elicitation/channel.ts'
import type { ElicitationLimits } from './elicitation/limits.ts'
import { defaultPages, type PageSettings } from './elicitation/page-settings.ts'
import type { ProviderSettings } from './oauth/providers.ts'
import type { PasskeyLimits } from './passkey/desk.ts'
import type { RollupLimits } from './rollup/count.ts'
import type { Store } from './stores/store.ts'

/** What an Assent may be told; everything has a default that works on one machine. */
export interface AssentOptions {
  /** An address (`memory:`, `sqlite:<path>`, `postgres://…`, `redis://…`) or a store of your own. Default: `sqlite:.assent/assent.db`. */
  readonly store?: string | Store
  /** The keys that seal secrets. Default: ASSENT_KEYS of the environment; without it, SQLite makes a key file of its own. */
  readonly keys?: string
  /** Where people reach the pages. Default: http://127.0.0.1:4180. */
  readonly publicUrl?: string
  /** The login whose access tokens identify people. Default: none, and one local participant. */
  readonly auth?: {
    /** Who issues the tokens, as an https address. */
    readonly issuer: string
    /** The audience that tokens must name: this installation. */
    readonly audience: string
    /** Where the issuer's keys are. Default: as its metadata says. */
    readonly jwksUri?: string
    /** The claim that names a person's groups. Default: `groups`. */
    readonly groupsClaim?: string
    /** The id under which the login knows Assent's pages, so that people can sign in on them. */
    readonly clientId?: string
    /** The secret that goes with `clientId`, where the login demands one. */
    readonly clientSecret?: string
  }
  /** Outside services that people may connect accounts at, by the names that tools use. */
  readonly providers?: Readonly<Record<string, ProviderSettings>> | ReadonlyMap<string, Provider>
  /** Where providers send people back to. Default: `publicUrl` and `/oauth/callback`. */
  readonly callbackUrl?: string
  /** How the pages look, and their paths. */
  readonly pages?: Partial<Omit<PageSettings, 'publicUrl'>>
  /** Which tool calls run, which are denied, and which a person is asked about. Default: a person is asked about all. */
  readonly policy?: PolicySettings
  /** Ways to reach people besides their client and the pages, such as a webhook. Default: none. */
  readonly channels?: readonly Channel[]
  /** How much one requester or person may make Assent keep. Default: `ElicitationLimits`, `PasskeyLimits` and `RollupLimits` have the numbers. */
  readonly limits?: Partial<ElicitationLimits & PasskeyLimits & RollupLimits>
  /** How long things may take. */
  readonly clocks?: {
    /** How long a question stays open. Default: 10 minutes. */
    readonly question?: Duration
    /** How long a person may take at a provider. Default: 10 minutes. */
    readonly browserFlow?: Duration
    /** How long a yes for one call may stay unspent. Default: 1 hour. */
    readonly unspentYes?: Duration
    /** How often questions whose time is over are settled, and old records deleted; 0 for never. Default: 1 minute. */
    readonly tidy?: Duration
    /** How far this machine's clock may be from the store's before Assent says so. Default: 10 seconds. */
    readonly skew?: Duration
    /** How often what was counted for the console is written; 0 for only when it is closed. Default: 1 second. */
    readonly counts?: Duration
  }
  /** How long to keep what is over. Default: for ever, except for counts. */
  readonly retain?: {
    /** Questions that are settled, and grants that are over. */
    readonly settled?: Duration
    /** Events of the audit. */
    readonly audit?: Duration
    /** What the console counts by the hour. Default: 14 days. */
    readonly hourlyCounts?: Duration
    /** What the console counts by the day. Default: 400 days. */
    readonly dailyCounts?: Duration
  }
  /** Receives every event of the audit once it is stored, to send it elsewhere too. It must not throw. Default: nobody. */
  readonly onStored?: Stored
  /** Where time comes from. Default: the store's clock, which is the server's of PostgreSQL or Redis, or else the system clock. */
  readonly clock?: Clock
}

const defaultClocks = { question: '10m', browserFlow: '10m', unspentYes: '1h', tidy: '1m', skew: '10s', counts: '1s' }
const defaultRetain = { hourlyCounts: '14d', dailyCounts: '400d' }

/** The clocks, in milliseconds. */
export interface Times {
  readonly question: number
  readonly browserFlow: number
  readonly unspentYes: number
  readonly tidy: number
  readonly skew: number
  readonly counts: number
  readonly retain: {
    readonly settled?: number | undefined
    readonly audit?: number | undefined
    readonly hourlyCounts: number
    readonly dailyCounts: number
  }
}

/** All of them read before anything is opened: a setting that cannot be read must not fail later, in silence. */
export function timesFrom({ clocks = {}, retain = {} }: AssentOptions): Times {
  const maybe = (duration: Duration | undefined) => (duration === undefined ? undefined : milliseconds(duration))
  return {
    question: milliseconds(clocks.question ?? defaultClocks.question),
    browserFlow: milliseconds(clocks.browserFlow ?? defaultClocks.browserFlow),
    unspentYes: milliseconds(clocks.unspentYes ?? defaultClocks.unspentYes),
    tidy: milliseconds(clocks.tidy ?? defaultClocks.tidy),
    skew: milliseconds(clocks.skew ?? defaultClocks.skew),
    counts: milliseconds(clocks.counts ?? defaultClocks.counts),
    retain: {
      settled: maybe(retain.settled),
      audit: maybe(retain.audit),
      hourlyCounts: milliseconds(retain.hourlyCounts ?? defaultRetain.hourlyCounts),
      dailyCounts: milliseconds(retain.dailyCounts ?? defaultRetain.dailyCounts),
    },
  }
}

/** The pages' settings with all defaults. */
export function pagesFrom({ publicUrl = defaultPages.publicUrl, pages = {} }: AssentOptions): PageSettings {
  return { ...defaultPages, ...withoutUndefined(pages), publicUrl: publicUrl.replace(/\/+$/, '') }
}

/** A setting that is undefined is one that was left out. */
export function withoutUndefined<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T
}

/** Options under the names that url elicitation modules for MCP servers use. */
export interface ModuleOptions {
  /** Where people reach the pages. */
  readonly serverUrl: string
  /** The first part of the paths of pages. Default: `elicit`. */
  readonly apiPrefix?: string
  /** How long a question stays open, in milliseconds. Default: 600,000. */
  readonly elicitationTtlMs?: number
  /** How often questions whose time is over are settled, in milliseconds. Default: 60,000. */
  readonly cleanupIntervalMs?: number
  /** Where everything is kept. Default: in memory. */
  readonly storeConfiguration?:
    | { readonly type: 'memory' }
    | { readonly type: 'custom'; readonly store: string | Store }
  /** The last part of the paths of pages. */
  readonly endpoints?: {
    /** The page that says how a question stands. Default: `status`. */
    readonly status?: string
    /** The page that asks for a key. Default: `api-key`. */
    readonly apiKey?: string
    /** The page that asks for a yes. Default: `confirm`. */
    readonly confirm?: string
  }
  /** How the pages look. */
  readonly templateOptions?: {
    /** The color of buttons and links. Default: `#007bff`. */
    readonly primaryColor?: string
    /** The name at the top of every page. Default: `Assent`. */
    readonly title?: string
  }
}

/** The same settings in our words, for `createAssent`. */
export function fromModuleOptions(options: ModuleOptions): AssentOptions {
  const {
    serverUrl,
    apiPrefix,
    elicitationTtlMs,
    cleanupIntervalMs,
    storeConfiguration,
    templateOptions = {},
  } = options
  const { status, apiKey, confirm } = options.endpoints ?? {}
  const names = withoutUndefined({ status, 'api-key': apiKey, confirm }) as Record<string, string>
  return {
    store: storeConfiguration?.type === 'custom' ? storeConfiguration.store : 'memory:',
    publicUrl: serverUrl,
    clocks: withoutUndefined({ question: elicitationTtlMs, tidy: cleanupIntervalMs }) as NonNullable<
      AssentOptions['clocks']
    >,
    pages: withoutUndefined({ prefix: apiPrefix, names, ...templateOptions }) as NonNullable<AssentOptions['pages']>,
  }
}
