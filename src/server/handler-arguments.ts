import type { ServerContext } from '@modelcontextprotocol/server'

/** A handler for `registerTool` and `registerPrompt`, with or without an input schema. */
export interface ArgumentsHandler<Args, Result> {
  (args: Args, ctx: ServerContext): Promise<Result>
  (ctx: ServerContext): Promise<Result>
}

/** The SDK calls the handler of a tool without an input schema with the context alone. Its arguments are then `{}`. */
export function withOrWithoutArguments<Args, Result>(
  handler: (args: Args, ctx: ServerContext) => Promise<Result>,
): ArgumentsHandler<Args, Result> {
  return (...given: [Args, ServerContext] | [ServerContext]) => {
    const [first, second] = given
    return second === undefined ? handler({} as Args, first as ServerContext) : handler(first as Args, second)
  }
}
