import type { AskingSettings } from '../asking/context.ts'
import type { Post } from '../instance/post.ts'
import type { Requester } from '../participant/requester.ts'
import type { AccountWatch } from './accounts/account-watch.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { MissingServers } from './catalog/missing-servers.ts'
import type { AskingModes } from './downstream/client.ts'
import type { LogLevels } from './downstream/log-levels.ts'
import type { Negotiations } from './downstream/negotiations.ts'
import type { Notices } from './downstream/notices.ts'
import type { Subscriptions } from './downstream/subscriptions.ts'
import type { Completions } from './forward/completions.ts'
import type { ParkedElsewhere } from './forward/parked-elsewhere.ts'
import type { Parking } from './forward/parking.ts'
import type { ServerInfo } from './forward/result-for.ts'
import type { GatewaySettings, UpstreamServer } from './options.ts'
import type { SharedUpstreams } from './upstream/held/share-upstreams.ts'
import type { DownstreamClient } from './upstream/upstream.ts'

/** What every request through the gateway shares. */
export interface GatewayContext {
  readonly settings: GatewaySettings
  /** How the gateway's own SDK servers ask. */
  readonly asking: AskingSettings
  readonly self: ServerInfo
  readonly catalog: Catalog
  readonly missing: MissingServers
  readonly parking: Parking
  readonly parkedElsewhere: ParkedElsewhere
  /** This process among those that share its store. */
  readonly post: Post
  readonly completions: Completions
  /** Tells other instances what changed at upstreams. */
  readonly notices: Notices
  /** Sessions with upstreams, wherever they live. */
  readonly upstreams: SharedUpstreams
  readonly levels: LogLevels
  readonly subscriptions: Subscriptions
  readonly accountWatch: AccountWatch
  readonly negotiations: Negotiations
  /** Whether this upstream may put one more question to this requester now. Counts it. */
  mayAsk(server: string, requester: Requester): boolean
  /** Whether upstreams may ask, and whether the inbox can be asked. Changes with the policy. */
  asks(): AskingModes
  /** The client with the account that this upstream needs. Undefined: it is not connected; nobody is asked here. */
  withAccount(server: UpstreamServer, client: DownstreamClient): Promise<DownstreamClient | undefined>
  /** The upstream rejected this client's account: it is renewed, or has to be connected again. */
  accountRejected(server: UpstreamServer, client: DownstreamClient): Promise<void>
}
