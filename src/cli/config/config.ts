import type { PolicySettings } from '../../approval/policy/policy-settings.ts'
import type { defaults } from './defaults.ts'
import type { Written } from './problems.ts'
import type { Renamed, ServerConfig } from './read/servers.ts'

/** Every setting, checked, with defaults; durations in milliseconds, paths from where we are. */
export interface Config {
  /** Undefined: there is no file, and all are defaults. */
  readonly written: Written | undefined
  readonly listen: { readonly host: string; readonly port: number }
  /** Without a slash at its end. */
  readonly publicUrl: string
  /** False: it follows from `listen`. */
  readonly hasOwnUrl: boolean
  readonly store: string
  readonly auth?: AuthConfig
  readonly callbackUrl?: string
  /** By their ids, in the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>
  readonly renamed: readonly Renamed[]
  /** As written, with variables filled in; checked by the room that speaks with them. */
  readonly providers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** With variables filled in and defaults; the room that decides by it checks the rules. */
  readonly policy: Required<PolicySettings>
  readonly clocks: Readonly<Record<keyof typeof defaults.clocks, number>>
  readonly limits: Readonly<Record<keyof typeof defaults.limits, number>>
  readonly elicitation: { readonly enabled: boolean }
  readonly channels: readonly ChannelConfig[]
  readonly retain: Readonly<Record<keyof typeof defaults.retain, number>>
  readonly metrics: MetricsConfig
  readonly pages: {
    readonly primaryColor: string
    readonly title: string
    readonly prefix: string
    readonly names: Readonly<Record<string, string>>
  }
}

/** Who may read `/metrics`, besides this machine. */
export interface MetricsConfig {
  /** A second address, which serves `/metrics`, `/healthz` and `/readyz` only. */
  readonly listen?: Config['listen']
  /** IP addresses and CIDR ranges. */
  readonly allow: readonly string[]
}

export interface AuthConfig {
  readonly issuer: string
  readonly audience: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly jwksUri?: string
  readonly groupsClaim?: string
  /** Signs people in, and says in a header who they are; from these addresses only. */
  readonly proxy?: { readonly header: string; readonly from: readonly string[]; readonly groupsHeader?: string }
}

export interface ChannelConfig {
  readonly webhook: {
    readonly url: string
    readonly secret: string
    readonly name?: string
    /** It may be on this machine or in a private network. */
    readonly allowPrivate?: boolean
  }
}
