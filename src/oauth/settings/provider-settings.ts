import type { ClientAuthentication } from '../remote-server.ts'
import type { PresetName } from './presets.ts'

interface CommonSettings {
  /** Its name for people. Default: the name of the provider. */
  readonly title?: string
  /** The header for its credential. Default: `Authorization`, with `Bearer <secret>`. Any other gets the bare secret. */
  readonly header?: string
  /** The environment variable in which a server that is a process gets its credential. */
  readonly env?: string
}

/** An OAuth 2 or OpenID server, found by its issuer or given by its endpoints. */
export interface OAuthProviderSettings extends CommonSettings {
  /** The address of the server, whose metadata gives all endpoints. Without it write the endpoints. */
  readonly issuer?: string
  /** Where people are sent to consent. */
  readonly authorizationEndpoint?: string
  /** Where codes and refresh tokens are exchanged. */
  readonly tokenEndpoint?: string
  /** Where tokens are revoked. Left out: they are only deleted here. */
  readonly revocationEndpoint?: string
  /** Where the name of the person's account is read. Left out: it has no name. */
  readonly userinfoEndpoint?: string
  /** How this installation is registered at the provider. */
  readonly clientId: string
  /** Left out: a public client. */
  readonly clientSecret?: string
  /** How the secret is sent to the token endpoint. Default: `client_secret_basic`. */
  readonly clientAuthentication?: ClientAuthentication
  /** What is asked for where a tool names no scopes. */
  readonly scopes?: readonly string[]
  /** The `audience` parameter that some providers want. */
  readonly audience?: string
  /** The `resource` parameter of RFC 8707: the address that the tokens are for. */
  readonly resource?: string
  /** More parameters for the page of consent. */
  readonly extraParams?: Readonly<Record<string, string>>
}

/** A provider that Assent knows. `url` is the address of a Nextcloud, a GitHub Enterprise Server or a Microsoft tenant. */
export interface PresetProviderSettings extends CommonSettings {
  /** Which provider it is. */
  readonly preset: PresetName
  /** Where a Nextcloud, a GitHub of your own, or your Microsoft tenant is. */
  readonly url?: string
  /** How this installation is registered at the provider. */
  readonly clientId: string
  /** The secret that goes with `clientId`. */
  readonly clientSecret: string
  /** What is asked for where a tool names no scopes. Default: the preset has some. */
  readonly scopes?: readonly string[]
}

/** The authorization server that an MCP server names (RFC 9728). Assent registers there by itself. */
export interface DiscoveredProviderSettings extends CommonSettings {
  /** The address of the MCP server that the accounts are for. */
  readonly discover: string
  /** What is asked for. Default: what the MCP server says it wants. */
  readonly scopes?: readonly string[]
}

/** A service for which people enter an API key, on a page of Assent. */
export interface KeyProviderSettings extends CommonSettings {
  /** Says that the provider is one of keys. */
  readonly apiKey: true
  /** Default: API key. */
  readonly fieldLabel?: string
  /** Shown in the empty field, such as how a key begins. */
  readonly placeholder?: string
  /** What the key is for, and where to get one. */
  readonly description?: string
}

export type ProviderSettings =
  | OAuthProviderSettings
  | PresetProviderSettings
  | DiscoveredProviderSettings
  | KeyProviderSettings

const ofEveryProvider = ['title', 'header', 'env'] as const

/** The settings of each kind of provider; all others are refused. docs/configuration.md lists them, and a test compares the two. */
export const providerSettingNames = {
  oauth: [
    ...ofEveryProvider,
    'issuer',
    'authorizationEndpoint',
    'tokenEndpoint',
    'revocationEndpoint',
    'userinfoEndpoint',
    'clientId',
    'clientSecret',
    'clientAuthentication',
    'scopes',
    'audience',
    'resource',
    'extraParams',
  ],
  preset: [...ofEveryProvider, 'preset', 'url', 'clientId', 'clientSecret', 'scopes'],
  discovered: [...ofEveryProvider, 'discover', 'scopes'],
  key: [...ofEveryProvider, 'apiKey', 'fieldLabel', 'placeholder', 'description'],
} as const
