export { requireScopes } from '../mcp/http/guard/require-scopes.ts'
export type { HttpLimits, HttpOptions, HttpServing } from '../mcp/http/serve.ts'
export type { Session } from '../mcp/http/session/session.ts'
export type { ServerFactory, ServingContext } from '../mcp/http/session/sessions.ts'
export type { Modes } from '../mcp/modes.ts'
export type { Quirk } from '../mcp/quirks.ts'
export { AskRefused, type RefusalStatus } from '../mcp/refusal.ts'
export type { Account, ConnectionOptions } from './account.ts'
export type { AskOptions, Asks, ConfirmOptions, PageOptions, SecretOptions } from './asks.ts'
export { type AssentServer, type AssentServerOptions, createAssentServer } from './assent-server.ts'
export {
  type CreatedUrl,
  type ExplicitAsking,
  explicitAsking,
  type FormResponse,
  type RequiredUrl,
} from './explicit.ts'
export type { AssentForServers } from './needs.ts'
export { AskedDifferently } from './put.ts'
export type { FormInput, FormOutput } from './question.ts'
export { requireConnection } from './require-connection.ts'
export type { ApprovalOptions } from './tool-call.ts'
