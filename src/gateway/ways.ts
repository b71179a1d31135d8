import type { Catalog } from './catalog.ts'
import type { Completions } from './completions.ts'
import type { LogLevels } from './log-levels.ts'
import type { Negotiations } from './negotiations.ts'
import type { Parking } from './parking.ts'
import type { Behind, GatewaySettings } from './settings.ts'
import type { Visitor } from './upstream/upstream.ts'
import type { Watching } from './watching.ts'

/** What every request through the gateway shares. */
export interface Ways {
  readonly settings: GatewaySettings
  readonly catalog: Catalog
  readonly parking: Parking
  readonly completions: Completions
  readonly levels: LogLevels
  readonly watching: Watching
  readonly negotiations: Negotiations
  /** Whether somebody can be asked in the inbox where a client cannot be. */
  inbox(): boolean
  /** The visitor with the account that this upstream needs; undefined: it is not connected, and nobody is asked here. */
  visitorOf(behind: Behind, visitor: Visitor): Promise<Visitor | undefined>
  /** The upstream did not take this visitor's account: it is renewed, or to be connected again. */
  rejected(behind: Behind, visitor: Visitor): Promise<void>
  /** The lists of this upstream are others now: tells every client that cares. */
  changed(server: string): void
}
