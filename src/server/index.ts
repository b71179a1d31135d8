export type { Account, ConnectionOptions } from '../asking/account.ts'
export type { ApprovalOptions } from '../asking/approval/tool-call.ts'
export type { AskOptions, Asks, ConfirmOptions, PageOptions, SecretOptions } from '../asking/asks.ts'
export type { FormInput, FormOutput } from '../asking/form.ts'
export type { AssentForServers } from '../asking/needs.ts'
export type { RequiredPage } from '../asking/required-pages.ts'
export { AskedDifferently } from '../asking/rounds/ask.ts'
export type { Modes } from '../mcp/caller.ts'
export { requireScopes } from '../mcp/http/guard/require-scopes.ts'
export type { HttpLimits } from '../mcp/http/limits.ts'
export type { HttpOptions, HttpServing } from '../mcp/http/serve.ts'
export type { ServerFactory, ServingContext } from '../mcp/http/session/served-session.ts'
export type { Session } from '../mcp/http/session/session.ts'
export type { Quirk } from '../mcp/quirks.ts'
export { AskRefused, type RefusalStatus } from '../mcp/refusal.ts'
export type { AccessToolsOptions } from './access-tool-options.ts'
export { type AssentServer, type AssentServerOptions, createAssentServer } from './assent-server.ts'
export {
  type CreatedUrl,
  type ExplicitAsking,
  explicitAsking,
  type FormResponse,
} from './explicit.ts'
export { requireConnection } from './require-connection.ts'
