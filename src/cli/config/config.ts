import type { PolicySettings } from '../../approval/policy/policy-settings.ts'
import type { HubLimits, HubTimes, SpaceOptions } from '../../hub/options.ts'
import type { Quirk } from '../../mcp/quirks.ts'
import type { ParticipantId } from '../../participant/participant.ts'
import type { TelemetryOptions } from '../../telemetry/options.ts'
import type { defaults } from './defaults.ts'
import type { Written } from './problems.ts'
import type { Adopted } from './read/adopted-variables.ts'
import type { Renamed, ServerConfig } from './read/servers.ts'

/** Every setting, checked, with defaults. Durations are in milliseconds, paths relative to the working directory. */
export interface Config {
  /** Undefined when there is no file, and every setting is its default. */
  readonly written: Written | undefined
  /** Variables of other programs that were read where the file says nothing. */
  readonly adopted: readonly Adopted[]
  readonly listen: { readonly host: string; readonly port: number }
  /** Without a trailing slash. */
  readonly publicUrl: string
  /** Whether the file says `publicUrl`; otherwise it follows from `listen`. */
  readonly hasOwnUrl: boolean
  readonly store: string
  readonly auth?: AuthConfig
  /** Proxies and balancers whose `X-Forwarded-For` is believed: IP addresses and CIDR ranges. */
  readonly trustedProxies: readonly string[]
  readonly callbackUrl?: string
  /** By id, in the order of the file. */
  readonly servers: ReadonlyMap<string, ServerConfig>
  readonly renamed: readonly Renamed[]
  /** As written, with variables filled in. `oauth/` checks them. */
  readonly providers: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** `--allow-pasted` was given. */
  readonly allowsPasted?: boolean
  /** With variables filled in and defaults. `approval/` checks the rules. */
  readonly policy: Required<Omit<PolicySettings, 'extends'>> & Pick<PolicySettings, 'extends'>
  readonly clocks: Readonly<Record<keyof typeof defaults.clocks, number>>
  readonly limits: Readonly<Record<keyof typeof defaults.limits, number>>
  readonly elicitation: {
    readonly enabled: boolean
    /** For all clients without such a quirk: an answer to an approval that comes sooner counts for nothing. */
    readonly unseenWithin?: number
    readonly urlBy: 'push' | 'error'
  }
  /** What named clients do differently from what they declare, besides what is known. */
  readonly clients: readonly Quirk[]
  readonly channels: readonly ChannelConfig[]
  readonly retain: Readonly<Record<keyof typeof defaults.retain, number>>
  readonly metrics: MetricsConfig
  /** Undefined: nothing is sent. */
  readonly telemetry?: TelemetryConfig
  readonly pages: {
    readonly primaryColor: string
    readonly title: string
    readonly prefix: string
    readonly names: Readonly<Record<string, string>>
  }
  /** The spaces of the hub, by name, none where the settings have no `hub`; and what holds for all of them. */
  readonly hub: {
    readonly spaces: Readonly<Record<string, SpaceOptions>>
    readonly limits: HubLimits
    readonly times: HubTimes
  }
  readonly hooks: HooksConfig
}

/** The hooks of coding agents. */
export interface HooksConfig {
  /** How long a call waits for a person, in milliseconds. */
  readonly hold: number
  /** Without it, one is made and kept beside an SQLite store. */
  readonly token?: string
  /** For whom the coding agents of this installation work; left out: the local person. */
  readonly participant?: ParticipantId
  /** Who may ask, besides this machine: IP addresses and CIDR ranges. */
  readonly allow: readonly string[]
}

/** Where telemetry is sent to. */
export interface TelemetryConfig
  extends Pick<TelemetryOptions, 'endpoints' | 'headers' | 'serviceName' | 'sample' | 'everyMs' | 'queue'> {}

/** Who may read `/metrics`, besides this machine. */
export interface MetricsConfig {
  /** A second address, which serves `/metrics`, `/healthz` and `/readyz` only. */
  readonly listen?: Config['listen']
  /** IP addresses and CIDR ranges. */
  readonly allow: readonly string[]
}

/** The login that knows people. */
export interface AuthConfig {
  readonly issuer: string
  readonly audience: string
  readonly clientId?: string
  readonly clientSecret?: string
  readonly jwksUri?: string
  readonly groupsClaim?: string
  /** Who may open the console. */
  readonly admins?: readonly string[]
  /** A proxy that signs people in and names them in a header. Only requests from these addresses are believed. */
  readonly proxy?: { readonly header: string; readonly from: readonly string[]; readonly groupsHeader?: string }
}

/** A way to tell people of questions. */
export type ChannelConfig =
  | { readonly webhook: WebhookConfig }
  | { readonly mail: MailConfig }
  | { readonly slack: SlackConfig }
  | { readonly push: PushConfig }

/** By which `notify` of a rule, and messages about it, call a channel. */
export function nameOfChannel(channel: ChannelConfig): string {
  if ('webhook' in channel) return channel.webhook.name ?? `webhook ${new URL(channel.webhook.url).origin}`
  if ('push' in channel) return channel.push.name ?? 'push'
  return 'mail' in channel ? (channel.mail.name ?? 'mail') : (channel.slack.name ?? 'slack')
}

/** A program that is told of questions. */
export interface WebhookConfig {
  readonly url: string
  readonly secret: string
  readonly name?: string
  /** Whether the url may be on this machine or in a private network. */
  readonly allowPrivate?: boolean
}

/** What all channels to people have. */
export interface PeopleChannelConfig {
  /** Addresses by participant, group, or `*` for everybody else. */
  readonly to: Readonly<Record<string, readonly string[]>>
  readonly name?: string
  readonly gatherMs?: number
  readonly quiet?: { readonly from: string; readonly to: string; readonly timeZone?: string }
}

/** Mails to those who are asked. */
export interface MailConfig extends PeopleChannelConfig {
  readonly smtp: string
  readonly from: string
  readonly allowPlain?: boolean
}

/** Notifications in browsers. */
export interface PushConfig extends Omit<PeopleChannelConfig, 'to'> {
  readonly contact: string
}

/** Messages in Slack. */
export interface SlackConfig extends PeopleChannelConfig {
  readonly token: string
  readonly details?: boolean
  readonly signingSecret?: string
  readonly team?: string
  /** Participants by Slack user. */
  readonly people?: Readonly<Record<string, string>>
}
