import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Change } from '../approval/question/edit.ts'
import type { ToolCall } from '../approval/tool-call.ts'
import { walkApproved } from '../asking/approval/approve-call.ts'
import { toolCallOf } from '../asking/approval/tool-call.ts'
import type { Asks } from '../asking/asks.ts'
import { type Visit, visitOf } from '../asking/context.ts'
import { readArguments } from '../asking/registered-tools.ts'
import { conductTool } from '../asking/run-handler.ts'
import { shownText, showText } from '../base/text/show-text.ts'
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
    const visit = visitOf(ctx)
    return conductTool(visit, async (ask, round) => {
      const send = (call: ToolCall, changes: readonly Change[]) =>
        ran(async () => {
          const mine = changes.length === 0 ? args : await argumentsAs<Args>(visit, call)
          return withWords(await handler(mine, ask, ctx), changes)
        })
      const end = await walkApproved(visit, round, { key: wholeCall, call: toolCallOf(visit), send })
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

async function argumentsAs<Args>(visit: Visit, { arguments: edited }: ToolCall): Promise<Args> {
  const read = await readArguments(visit.tools.get(visit.call.name)?.inputSchema, edited)
  if ('value' in read) return read.value as Args
  const message = `The approver changed the arguments, and the tool does not take them: ${read.problem}`
  throw new AskRefused('failed', message, 'edits-refused')
}

/** The requester learns what ran. */
export function withWords(result: ToolResult, changes: readonly Change[]): ToolResult {
  if (changes.length === 0 || !('content' in result) || !Array.isArray(result.content)) return result
  const words = changes.map(({ name, after }) => `${name} is now ${shownText(showText(JSON.stringify(after)))}`)
  const text = `The approver changed the arguments before this ran: ${words.join('; ')}.`
  return { ...result, content: [...result.content, { type: 'text', text }] } as CallToolResult
}
