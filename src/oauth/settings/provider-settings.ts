import type { ClientAuthentication } from '../remote-server.ts'
import type { PresetName } from './presets.ts'

interface CommonSettings {
  /** What people call it. Default: its name. */
  readonly title?: string
  /** The header its credential is sent in. Default: Authorization, as `Bearer <secret>`; any other gets the bare secret. */
  readonly header?: string
  /** The variable its credential is handed to a process in. */
  readonly env?: string
}

/** An OAuth 2 or OpenID server: found by its issuer, or given by its endpoints. */
export interface OAuthProviderSettings extends CommonSettings {
  readonly issuer?: string
  readonly authorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly revocationEndpoint?: string
  readonly userinfoEndpoint?: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly clientAuthentication?: ClientAuthentication
  readonly scopes?: readonly string[]
  readonly audience?: string
  readonly resource?: string
  readonly extraParams?: Readonly<Record<string, string>>
}

/** A provider that Assent knows. `url` is where a Nextcloud, or a GitHub of one's own, is. */
export interface PresetProviderSettings extends CommonSettings {
  readonly preset: PresetName
  readonly url?: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes?: readonly string[]
}

/** A service that people give a key for, on our page. */
export interface KeyProviderSettings extends CommonSettings {
  readonly apiKey: true
  /** Default: API key. */
  readonly fieldLabel?: string
  readonly placeholder?: string
  readonly description?: string
}

export type ProviderSettings = OAuthProviderSettings | PresetProviderSettings | KeyProviderSettings
