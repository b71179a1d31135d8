import { type ClientV1, legOfV1 } from './leg/leg-v1.ts'
import type { ElicitationUi } from './ui.ts'
import { type ElicitationOptions, type ElicitingClient, elicitingClient } from './with-elicitation.ts'

export type { ClientV1 } from './leg/leg-v1.ts'

/** Lets a client of `@modelcontextprotocol/sdk` ask its person. To be called before it connects. */
export function withElicitation(client: ClientV1, ui: ElicitationUi, options: ElicitationOptions): ElicitingClient {
  return elicitingClient(legOfV1(client), ui, options)
}
