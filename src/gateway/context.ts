import type { Requester } from '../participant/requester.ts'
import type { Accounts } from './accounts/account-watch.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { LogLevels } from './downstream/log-levels.ts'
import type { Negotiations } from './downstream/negotiations.ts'
import type { Watching } from './downstream/subscriptions.ts'
import type { Completions } from './forward/completions.ts'
import type { Parking } from './forward/parking.ts'
import type { Behind, GatewaySettings } from './options.ts'
import type { Visitor } from './upstream/upstream.ts'

/** What every request through the gateway shares. */
export interface Ways {
  readonly settings: GatewaySettings
  readonly catalog: Catalog
  readonly parking: Parking
  readonly completions: Completions
  readonly levels: LogLevels
  readonly watching: Watching
  readonly accounts: Accounts
  readonly negotiations: Negotiations
  /** Whether this upstream may put one more question to this requester now; counts it. */
  mayAsk(server: string, requester: Requester): boolean
  /** Whether somebody can be asked in the inbox where a client cannot be. */
  inbox(): boolean
  /** The visitor with the account that this upstream needs; undefined: it is not connected, and nobody is asked here. */
  visitorOf(behind: Behind, visitor: Visitor): Promise<Visitor | undefined>
  /** The upstream did not take this visitor's account: it is renewed, or to be connected again. */
  rejected(behind: Behind, visitor: Visitor): Promise<void>
}
