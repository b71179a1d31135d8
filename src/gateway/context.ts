import type { Requester } from '../participant/requester.ts'
import type { AccountWatch } from './accounts/account-watch.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { LogLevels } from './downstream/log-levels.ts'
import type { Negotiations } from './downstream/negotiations.ts'
import type { Subscriptions } from './downstream/subscriptions.ts'
import type { Completions } from './forward/completions.ts'
import type { Parking } from './forward/parking.ts'
import type { GatewaySettings, UpstreamServer } from './options.ts'
import type { DownstreamClient } from './upstream/upstream.ts'

/** What every request through the gateway shares. */
export interface GatewayContext {
  readonly settings: GatewaySettings
  readonly catalog: Catalog
  readonly parking: Parking
  readonly completions: Completions
  readonly levels: LogLevels
  readonly subscriptions: Subscriptions
  readonly accountWatch: AccountWatch
  readonly negotiations: Negotiations
  /** Whether this upstream may put one more question to this requester now; counts it. */
  mayAsk(server: string, requester: Requester): boolean
  /** Whether somebody can be asked in the inbox where a client cannot be. */
  inbox(): boolean
  /** The visitor with the account that this upstream needs; undefined: it is not connected, and nobody is asked here. */
  withAccount(server: UpstreamServer, client: DownstreamClient): Promise<DownstreamClient | undefined>
  /** The upstream did not take this visitor's account: it is renewed, or to be connected again. */
  accountRejected(server: UpstreamServer, client: DownstreamClient): Promise<void>
}
