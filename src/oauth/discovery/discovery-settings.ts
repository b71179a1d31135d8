import type { Clock } from '../../base/clock.ts'
import type { Registrations } from '../../connection/registration/registrations.ts'

/** What this installation is towards servers that it finds by itself. */
export interface Introduction {
  /** Its name for people. */
  readonly title: string
  /** Where its pages are. A client document is served there (`/oauth/client/{tag}`), which https makes believable. */
  readonly publicUrl: string
  /** Where servers send people back to. */
  readonly callbackUrl: string
  readonly clients: Registrations
}

export interface DiscoverySettings {
  /** The provider's name in the settings. */
  readonly name: string
  /** Its name for people. */
  readonly title: string
  /** The MCP server that tokens are for. */
  readonly server: URL
  /** What is asked for in place of what the server itself wants. */
  readonly scopes: readonly string[]
}

export interface DiscoveryParts {
  readonly clock: Clock
  /** How long a server may take to answer one request. Default: 5 s. */
  readonly timeoutMs?: number
}
