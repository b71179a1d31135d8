import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import { shownText, showText } from '../../base/text/show-text.ts'
import type { StartedCall } from '../../call/walk.ts'
import { approvalKey } from '../../mcp/meta-keys.ts'

/** Adds to a result who approved the call, why, and what they changed, so that the requester knows what ran. */
export function withApproval(
  result: CallToolResult | InputRequiredResult,
  started: Pick<StartedCall, 'changes' | 'given'>,
): CallToolResult | InputRequiredResult {
  if (!('content' in result) || !Array.isArray(result.content)) return result
  const lines = linesFor(started)
  const approval = approvalOf(started)
  if (lines.length === 0 && approval === undefined) return result
  return {
    ...result,
    content: [...result.content, ...lines.map((text) => ({ type: 'text', text }))],
    ...(approval !== undefined && { _meta: { ...result._meta, [approvalKey]: approval } }),
  } as CallToolResult
}

function linesFor({ changes, given }: Pick<StartedCall, 'changes' | 'given'>): string[] {
  const words = changes.map(({ name, after }) => `${shown(name)} is now ${shown(JSON.stringify(after))}`)
  return [
    ...(words.length > 0 ? [`The approver changed the arguments before this ran: ${words.join('; ')}.`] : []),
    ...(given?.reason === undefined ? [] : [`The approver's reason: ${shown(given.reason)}`]),
  ]
}

const shown = (text: string) => shownText(showText(text))

function approvalOf({ changes, given }: Pick<StartedCall, 'changes' | 'given'>): JsonObject | undefined {
  if (given === undefined) return undefined
  const { by, at, via, reason } = given
  return {
    approvedBy: by,
    approvedAt: at.toISOString(),
    via,
    ...(reason !== undefined && { reason }),
    ...(changes.length > 0 && { changes: changes.map((change) => ({ ...change })) as never }),
  }
}
