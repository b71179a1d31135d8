import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ToolCall } from '../approval/tool-call.ts'
import { approveCall, withApproval } from '../asking/approval/approve-call.ts'
import { toolCallOf } from '../asking/approval/tool-call.ts'
import type { Asks } from '../asking/asks.ts'
import { contextOf, type RequestContext } from '../asking/context.ts'
import { withRequiredPages } from '../asking/required-pages.ts'
import { runTool } from '../asking/run-handler.ts'
import type { Sent, StartedCall } from '../call/walk.ts'
import { AskRefused, type RefusalResult } from '../mcp/refusal.ts'
import { type ArgumentsHandler, type HandlerArguments, splitArguments } from './handler-arguments.ts'

type ToolResult = CallToolResult | InputRequiredResult
type Ran = { readonly result: ToolResult } | { readonly error: unknown }

/** The key of the approval of a whole call. A handler's own questions are numbered, or named by their author. */
const wholeCall = 'approval of the call'

/**
 * A tool whose every call is decided by policy, and approved by a person where it says so. If the approver edits the
 * arguments, the edited ones run, and the requester is told.
 */
export function approvedTool<Args>(
  handler: (args: Args, ask: Asks, ctx: ServerContext) => ToolResult | Promise<ToolResult>,
): ArgumentsHandler<Args, ToolResult | RefusalResult> {
  return (...given: HandlerArguments<Args>) => {
    const [args, ctx] = splitArguments(given)
    const context = contextOf(ctx)
    return runTool(context, async (ask, round) => {
      const send = (started: StartedCall) =>
        ran(async () => {
          const { call, changes } = started
          const mine = changes.length === 0 ? args : await editedArguments<Args>(context, call)
          const run = withRequiredPages(context, (asks) => handler(mine, asks, ctx))
          return withApproval(await run(ask, round), started)
        })
      const end = await approveCall(context, round, { key: wholeCall, call: toolCallOf(context), send })
      if ('error' in end) throw end.error
      return end.result
    })
  }
}

/** A handler that throws is an outcome too: the audit must have it before anybody hears of it. */
async function ran(run: () => Promise<ToolResult>): Promise<Sent<Ran>> {
  try {
    const result = await run()
    return { result: { result }, outcome: outcomeOf(result) }
  } catch (error) {
    return { result: { error }, outcome: 'failed' }
  }
}

/** A handler may ask by a result of its own (2026-07-28), and runs again with the answer. */
function outcomeOf(result: ToolResult): Sent<Ran>['outcome'] {
  if (isInputRequiredResult(result)) return 'in-progress'
  return 'isError' in result && result.isError === true ? 'failed' : 'done'
}

async function editedArguments<Args>({ tools, call }: RequestContext, edited: ToolCall): Promise<Args> {
  const read = (await tools?.readArguments(call.name, edited.arguments)) ?? { value: edited.arguments }
  if ('value' in read) return read.value as Args
  const message = `The approver changed the arguments, and the tool does not accept them: ${read.problem}`
  throw new AskRefused('failed', message, 'edits-refused')
}
