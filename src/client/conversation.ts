import type { ClientLeg } from './leg/leg.ts'
import type { Pages } from './page/pages.ts'
import type { VisitsUnderWay } from './page/visits.ts'
import type { InTurn } from './question/turns.ts'
import type { ToolClocks } from './tool-clock.ts'
import type { ElicitationUi } from './ui.ts'

/** Everything that one client's calls share. */
export interface Conversation {
  readonly leg: ClientLeg
  readonly ui: ElicitationUi
  readonly server: string
  readonly clocks: ToolClocks
  readonly pages: Pages
  readonly visits: VisitsUnderWay
  readonly inTurn: InTurn
  readonly mayAsk: () => boolean
  readonly humanMs: number
  readonly mostRetries: number
  /** How long a server may hold one request while a person is elsewhere. */
  readonly heldMs: number
}
