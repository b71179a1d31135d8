import type { PolicySettings } from './approval/policy/policy-settings.ts'
import type { Clock } from './base/clock.ts'
import { type Duration, milliseconds } from './base/durations.ts'
import type { Provider } from './connection/provider.ts'
import type { Channel } from './elicitation/channel.ts'
import type { ElicitationLimits } from './elicitation/limits.ts'
import { defaultPages, type PageSettings } from './elicitation/page-settings.ts'
import type { ProviderSettings } from './oauth/providers.ts'
import type { Store } from './stores/store.ts'

/** What an Assent may be told; everything has a default that works on one machine. */
export interface AssentOptions {
  /** An address (`memory:`, `sqlite:<path>`, `postgres://…`) or a store of your own. */
  readonly store?: string | Store
  /** Keys as in ASSENT_KEYS, which is read when this is left out. SQLite makes itself a key file when there are none. */
  readonly keys?: string
  /** Where people reach the pages. */
  readonly publicUrl?: string
  /** Whose access tokens say who somebody is. Left out: there is one local participant. */
  readonly auth?: {
    readonly issuer: string
    /** Whom the tokens must be meant for: this installation. */
    readonly audience: string
    readonly jwksUri?: string
    /** The claim that names a person's groups. Default: `groups`. */
    readonly groupsClaim?: string
    /** How our pages are known at the login, so that people can sign in on them. */
    readonly clientId?: string
    readonly clientSecret?: string
  }
  /** Outside services that people may connect accounts at, by the names that tools use. */
  readonly providers?: Readonly<Record<string, ProviderSettings>> | ReadonlyMap<string, Provider>
  /** Where providers send people back to. Default: `publicUrl` and `/oauth/callback`. */
  readonly callbackUrl?: string
  /** What may be changed about the pages. */
  readonly pages?: Partial<Omit<PageSettings, 'publicUrl'>>
  /** Which tool calls may run, which are asked about, which not; as in `policy` of assent.yaml. Default: all are asked about. */
  readonly policy?: PolicySettings
  readonly channels?: readonly Channel[]
  readonly limits?: Partial<ElicitationLimits>
  readonly clocks?: {
    /** How long a question stays open. */
    readonly question?: Duration
    /** How long a person may take at a provider. */
    readonly browserFlow?: Duration
    /** How long a yes for one call may stay unspent. */
    readonly unspentYes?: Duration
    /** How often to look for questions whose time is over; 0 for never. */
    readonly tidy?: Duration
  }
  /** How long to keep what is over; for ever when left out. */
  readonly retain?: { readonly settled?: Duration; readonly audit?: Duration }
  readonly clock?: Clock
}

const defaultClocks = { question: '10m', browserFlow: '10m', unspentYes: '1h', tidy: '1m' }

/** The clocks, in milliseconds. */
export interface Times {
  readonly question: number
  readonly browserFlow: number
  readonly unspentYes: number
  readonly tidy: number
  readonly retain: { readonly settled?: number | undefined; readonly audit?: number | undefined }
}

/** All of them read before anything is opened: a setting that cannot be read must not fail later, in silence. */
export function timesFrom({ clocks = {}, retain = {} }: AssentOptions): Times {
  const maybe = (duration: Duration | undefined) => (duration === undefined ? undefined : milliseconds(duration))
  return {
    question: milliseconds(clocks.question ?? defaultClocks.question),
    browserFlow: milliseconds(clocks.browserFlow ?? defaultClocks.browserFlow),
    unspentYes: milliseconds(clocks.unspentYes ?? defaultClocks.unspentYes),
    tidy: milliseconds(clocks.tidy ?? defaultClocks.tidy),
    retain: { settled: maybe(retain.settled), audit: maybe(retain.audit) },
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
  /** Default: `elicit`. */
  readonly apiPrefix?: string
  /** How long a question stays open. Default: 600,000. */
  readonly elicitationTtlMs?: number
  /** How often to look for what is over. Default: 60,000. */
  readonly cleanupIntervalMs?: number
  /** Default: memory. */
  readonly storeConfiguration?:
    | { readonly type: 'memory' }
    | { readonly type: 'custom'; readonly store: string | Store }
  /** The last part of the paths of pages. Default: `status`, `api-key`, `confirm`. */
  readonly endpoints?: { readonly status?: string; readonly apiKey?: string; readonly confirm?: string }
  /** Default: `#007bff` and `Assent`. */
  readonly templateOptions?: { readonly primaryColor?: string; readonly title?: string }
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
