import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { shownText, showText } from '../../base/text/show-text.ts'
import type { StartedCall } from '../../call/walk.ts'

/** Adds to a result which arguments the approver changed, so that the requester knows what ran. */
export function withApproval(
  result: CallToolResult | InputRequiredResult,
  { changes }: Pick<StartedCall, 'changes'>,
): CallToolResult | InputRequiredResult {
  if (changes.length === 0 || !('content' in result) || !Array.isArray(result.content)) return result
  const words = changes.map(({ name, after }) => `${name} is now ${shownText(showText(JSON.stringify(after)))}`)
  const text = `The approver changed the arguments before this ran: ${words.join('; ')}.`
  return { ...result, content: [...result.content, { type: 'text', text }] } as CallToolResult
}
