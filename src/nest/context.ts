import { McpContext } from '@rekog/mcp-nest'
import { type ContextElicitation, type Run, runOf } from './run.ts'

declare module '@rekog/mcp-nest' {
  interface McpContext {
    /** Asks the person whose client sent the request; undefined where `McpElicitationModule` is not imported. */
    readonly elicitation?: ContextElicitation
  }
}

const runOfContext = (context: McpContext): Run | undefined => runOf(context.getArgByIndex(4))

// On the prototype: MCP-Nest makes a context per call, after the last place where Assent sees the call.
Object.defineProperty(McpContext.prototype, 'elicitation', {
  configurable: true,
  get(this: McpContext) {
    return runOfContext(this)?.elicitation
  },
})

/** The run that a decorator of a handler belongs to. Throws where there is none: what must be approved must not run. */
export function requiredRun(context: unknown, decorator: string): Run {
  const run = context instanceof McpContext ? runOfContext(context) : undefined
  if (run !== undefined) return run
  throw new TypeError(
    `${decorator} works on tools, prompts and resources of an McpStrategy that McpElicitationModule knows. ` +
      'Import the module, and provide the strategy as MCP_STRATEGY or name it in "strategies".',
  )
}
