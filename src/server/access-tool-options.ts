import type { AssentForServers } from '../asking/needs.ts'
import { BadArgument } from '../base/errors.ts'

/** Which tools for access a server has. */
export interface AccessToolsOptions {
  /** The providers whose accounts they are for. Default: all. */
  readonly providers?: readonly string[]
  /** What the tools are called; `false` leaves one out. */
  readonly names?: {
    /** Default: `request_access`. */
    readonly request?: string | false
    /** Default: `check_access_status`. */
    readonly check?: string | false
    /** Default: `revoke_access`. */
    readonly revoke?: string | false
  }
  /** Says in the descriptions that models need not call them, as the other tools ask by themselves. Default: false. */
  readonly deprecated?: boolean
}

/** The same, with defaults. A tool without a name is left out. */
export interface AccessTools {
  readonly providers: readonly [string, ...string[]]
  readonly request?: string
  readonly check?: string
  readonly revoke?: string
  readonly deprecated: boolean
}

const defaultNames = { request: 'request_access', check: 'check_access_status', revoke: 'revoke_access' }

/** The tools that the settings of a server name. Undefined: none. */
export function accessToolsFrom(
  { connections }: AssentForServers,
  setting: boolean | readonly string[] | AccessToolsOptions,
): AccessTools | undefined {
  const { providers, names = {}, deprecated = false } = optionsOf(setting)
  const known = [...connections.providers.keys()]
  const unknown = providers?.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new BadArgument(`There is no provider "${unknown}" in the settings.`)
  const [first, ...others] = providers ?? known
  if (first === undefined) return undefined
  const tools = Object.entries({ ...defaultNames, ...names }).filter(([, name]) => name !== false)
  return { providers: [first, ...others], deprecated, ...Object.fromEntries(tools) }
}

function optionsOf(setting: boolean | readonly string[] | AccessToolsOptions): AccessToolsOptions {
  if (typeof setting === 'boolean') return setting ? {} : { providers: [] }
  return isList(setting) ? { providers: setting } : setting
}

// Array.isArray does not narrow a list that cannot be changed.
const isList = (setting: readonly string[] | AccessToolsOptions): setting is readonly string[] => Array.isArray(setting)
