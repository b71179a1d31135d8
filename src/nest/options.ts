import type { CanActivate, DynamicModule, InjectionToken, OptionalFactoryDependency, Type } from '@nestjs/common'
import type { McpStrategy } from '@rekog/mcp-nest'
import type { PolicySettings } from '../approval/policy/policy-settings.ts'
import { type AssentOptions, fromModuleOptions, type ModuleOptions, withoutUndefined } from '../assent-options.ts'
import { BadArgument } from '../base/errors.ts'
import type { AssentServerOptions } from '../server/assent-server.ts'
import type { Store } from '../stores/store.ts'
import { formatKey, makeKey } from '../vault/keys.ts'
import type { WebOptions } from '../web/options.ts'
import { type IElicitationStore, isElicitationStore, storeFor } from './seed-store.ts'
import type { VerifiedUser } from './sender.ts'

type Guard = Type<CanActivate> | CanActivate

/** What is settled when the module is declared: Nest makes its routes from it. */
export interface RouteOptions {
  /** The first part of the paths of question pages. Default: `elicit`. */
  readonly apiPrefix?: string
  /** Guards that every page is behind. Where they set `request.user`, that is the person who views the page. */
  readonly guards?: readonly Guard[]
  /** Whether the inbox and the lists of grants, connections, browsers and events are served too. Default: true. */
  readonly inbox?: boolean
}

/** Options of `McpElicitationModule`. */
export interface ElicitationModuleOptions
  extends Omit<ModuleOptions, 'storeConfiguration' | 'apiPrefix'>,
    RouteOptions,
    Omit<AssentOptions, 'store' | 'publicUrl' | 'pages'>,
    Omit<AssentServerOptions, 'name' | 'clocks' | 'accessTools'> {
  /** Where everything is kept: in memory, at an address of Assent's (`postgres://…`, `redis://…`), or in a store. Default: memory. */
  readonly storeConfiguration?:
    | { readonly type: 'memory' }
    | { readonly type: 'custom'; readonly store: string | Store | IElicitationStore }
  /** The strategies whose handlers may ask. Default: what the application provides as `MCP_STRATEGY`. */
  readonly strategies?: readonly McpStrategy[]
  /** Who is verified to have sent an HTTP request. Default: `request.user`, as a guard sets it. False: nobody is. */
  readonly user?: ((request: unknown) => VerifiedUser | undefined) | false
  /** Who may approve where `@RequireApproval` names nobody. Default: the requester. */
  readonly approvers?: readonly string[]
  /** The issuer of users without `iss`. Default: `serverUrl`. */
  readonly issuer?: string
  /** Your own pages, by the name that `createUrl` gives as `path`. */
  readonly customPages?: NonNullable<WebOptions['pages']>
  /** Further options of the pages, such as proxies and limits. */
  readonly web?: Omit<WebOptions, 'pages' | 'isHosted'>
}

/** Options of `forRoot`: the guards may need providers of these modules. */
export interface RootOptions extends ElicitationModuleOptions {
  /** Modules whose providers the guards or the factory inject. Default: none. */
  readonly imports?: DynamicModule['imports']
}

/** Options of `forRootAsync`. Routes and guards are declared here, all others are made by the factory. */
export interface RootAsyncOptions extends RouteOptions {
  /** Modules whose providers the guards or the factory inject. Default: none. */
  readonly imports?: DynamicModule['imports']
  /** What the factory is called with. Default: nothing. */
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[]
  /** Makes the options. */
  useFactory(
    // biome-ignore lint/suspicious/noExplicitAny: as Nest declares factories, whose arguments are what `inject` names.
    ...dependencies: any[]
  ): Omit<ElicitationModuleOptions, keyof RouteOptions> | Promise<Omit<ElicitationModuleOptions, keyof RouteOptions>>
}

/** Reads the options into those of `createAssent`. `warn` is told what the given store cannot promise. */
export function assentOptions(options: ElicitationModuleOptions, warn: (message: string) => void): AssentOptions {
  const { storeConfiguration, approvers, policy, ...rest } = options
  const { clocks = {}, keys, ...ours } = assentPart(rest)
  const module = fromModuleOptions(rest)
  const store = chosenStore(storeConfiguration, warn)
  const isKeptHere = typeof storeConfiguration === 'object' && isElicitationStore(givenStore(storeConfiguration))
  const given = keys ?? (process.env.ASSENT_KEYS || undefined)
  if (isKeptHere && given === undefined) {
    warn(
      'There are no keys, so answers cannot be read after a restart. Set ASSENT_KEYS; `assent keys make` prints one.',
    )
  }
  const chosenKeys = given ?? (isKeptHere ? formatKey(makeKey()) : undefined)
  const rules = approvers === undefined ? policy : withApprovers(policy ?? {}, approvers)
  return {
    ...withoutUndefined(ours),
    ...module,
    ...(chosenKeys !== undefined && { keys: chosenKeys }),
    ...(rules !== undefined && { policy: rules }),
    clocks: { ...clocks, ...module.clocks },
    store,
  }
}

/** Who approves what no rule names approvers for. */
function withApprovers(policy: PolicySettings, approvers: readonly string[]): PolicySettings {
  const rules = (policy.rules ?? []).map((rule) =>
    rule.decide === 'ask' && rule.approvers === undefined ? { ...rule, approvers } : rule,
  )
  const asksByDefault = (policy.default ?? 'ask') === 'ask'
  return { ...policy, rules: asksByDefault ? [...rules, { decide: 'ask', approvers }] : rules }
}

function assentPart({
  keys,
  auth,
  providers,
  callbackUrl,
  channels,
  limits,
  clocks,
  retain,
  clock,
}: Partial<ElicitationModuleOptions>): AssentOptions {
  return { keys, auth, providers, callbackUrl, channels, limits, clocks, retain, clock } as AssentOptions
}

type StoreConfiguration = NonNullable<ElicitationModuleOptions['storeConfiguration']>

function givenStore(configured: StoreConfiguration): unknown {
  return configured.type === 'custom' ? configured.store : undefined
}

function chosenStore(configured: StoreConfiguration | undefined, warn: (message: string) => void): string | Store {
  if (configured === undefined || configured.type === 'memory') return 'memory:'
  const { store } = configured
  if (store === undefined) throw new BadArgument('storeConfiguration of type "custom" needs a store.')
  return isElicitationStore(store) ? storeFor(store, warn) : store
}
