import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Change } from '../approval/question/edit.ts'
import type { ToolCall } from '../approval/tool-call.ts'
import { approveCall } from '../asking/approval/approve-call.ts'
import { withChanges } from '../asking/approval/approved-result.ts'
import { toolCallOf } from '../asking/approval/tool-call.ts'
import type { Asks } from '../asking/asks.ts'
import { contextOf, type RequestContext } from '../asking/context.ts'
import { readArguments } from '../asking/registered-tools.ts'
import { runTool } from '../asking/run-handler.ts'
import type { Sent } from '../call/walk.ts'
import { AskRefused, type RefusalResult } from '../mcp/refusal.ts'

type ToolResult = CallToolResult | InputRequiredResult
type Ran = { readonly result: ToolResult } | { readonly error: unknown }

/** The key of the approval of a whole call; a handler's own questions are counted, or named by their author. */
const wholeCall = 'approval of the call'

/**
 * A tool whose every call is decided by policy, and approved by a person where it says so. What the approver edited is
 * what runs, and the requester is told of it.
 */
export function approvedTool<Args>(
  handler: (args: Args, ask: Asks, ctx: ServerContext) => ToolResult | Promise<ToolResult>,
): (args: Args, ctx: ServerContext) => Promise<ToolResult | RefusalResult> {
  return (args, ctx) => {
    const context = contextOf(ctx)
    return runTool(context, async (ask, round) => {
      const send = (call: ToolCall, changes: readonly Change[]) =>
        ran(async () => {
          const mine = changes.length === 0 ? args : await argumentsAs<Args>(context, call)
          return withChanges(await handler(mine, ask, ctx), changes)
        })
      const end = await approveCall(context, round, { key: wholeCall, call: toolCallOf(context), send })
      if ('error' in end) throw end.error
      return end.result
    })
  }
}

/** A handler that fails is an outcome too: the audit must say so before anyone hears of it. */
async function ran(run: () => Promise<ToolResult>): Promise<Sent<Ran>> {
  try {
    const result = await run()
    return { result: { result }, outcome: 'isError' in result && result.isError === true ? 'failed' : 'done' }
  } catch (error) {
    return { result: { error }, outcome: 'failed' }
  }
}

async function argumentsAs<Args>(context: RequestContext, { arguments: edited }: ToolCall): Promise<Args> {
  const read = await readArguments(context.tools.get(context.call.name)?.inputSchema, edited)
  if ('value' in read) return read.value as Args
  const message = `The approver changed the arguments, and the tool does not take them: ${read.problem}`
  throw new AskRefused('failed', message, 'edits-refused')
}
