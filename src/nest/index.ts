export type { Account, ConnectionOptions } from '../asking/account.ts'
export type { Asks } from '../asking/asks.ts'
export { AskRefused } from '../mcp/refusal.ts'
export { AssentTransport, type AssentTransportOptions } from './assent-transport.ts'
export {
  AskParameter as Ask,
  ConnectedAccount,
  RequireApproval,
  type RequireApprovalOptions,
  RequireConnection,
} from './decorators.ts'
export { McpElicitation } from './mcp-elicitation.ts'
export { McpElicitationModule } from './module.ts'
export type { ElicitationModuleOptions, RootAsyncOptions, RootOptions, RouteOptions } from './options.ts'
export { AskPending, type ContextElicitation } from './run.ts'
export type {
  IElicitationStore,
  StoredElicitation as Elicitation,
  StoredResult as ElicitationResult,
} from './seed-store.ts'
export type { VerifiedUser } from './sender.ts'
