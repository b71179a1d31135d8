import type { ServerContext } from '@modelcontextprotocol/server'
import type { Account, ConnectionOptions } from '../asking/account.ts'
import type { Asks } from '../asking/asks.ts'

/**
 * A guard for a tool: its handler runs only with the requester's account at a provider, and gets it as an argument. Use
 * it within `tool`: `tool(requireConnection('notes', { scopes: ['notes.read'] }, async (args, ask, ctx, notes) => …))`.
 */
export function requireConnection<Args, Result>(
  provider: string,
  options: ConnectionOptions,
  handler: (args: Args, ask: Asks, ctx: ServerContext, account: Account) => Result | Promise<Result>,
): (args: Args, ask: Asks, ctx: ServerContext) => Promise<Result> {
  return async (args, ask, ctx) => handler(args, ask, ctx, await ask.connection(provider, options))
}
