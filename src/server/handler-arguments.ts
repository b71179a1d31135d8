import type { ServerContext } from '@modelcontextprotocol/server'

/** A handler for `registerTool` and `registerPrompt`, with or without an input schema. */
export interface ArgumentsHandler<Args, Result> {
  (args: Args, ctx: ServerContext): Promise<Result>
  (ctx: ServerContext): Promise<Result>
}

/** What the SDK calls a handler with. Without an input schema it is the context alone. */
export type HandlerArguments<Args> = [args: Args, ctx: ServerContext] | [ctx: ServerContext]

/** The arguments of a tool without an input schema are `{}`. Not a wrapper: every session holds a handler per tool. */
export function splitArguments<Args>([first, second]: HandlerArguments<Args>): [args: Args, ctx: ServerContext] {
  return second === undefined ? [{} as Args, first as ServerContext] : [first as Args, second]
}
