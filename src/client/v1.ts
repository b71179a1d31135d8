import { adapterForV1, type ClientV1 } from './adapter/adapter-v1.ts'
import type { ElicitationUi } from './ui.ts'
import { type ElicitationOptions, type ElicitingClient, elicitingClient } from './with-elicitation.ts'

export type { ClientV1 } from './adapter/adapter-v1.ts'

/** Adds elicitation to a client of `@modelcontextprotocol/sdk`. Must be called before the client connects. */
export function withElicitation(client: ClientV1, ui: ElicitationUi, options: ElicitationOptions): ElicitingClient {
  return elicitingClient(adapterForV1(client), ui, options)
}
