import { digest } from '../../base/canonical.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { Elicitation } from '../../elicitation/elicitation.ts'
import type { Decision, PreviewRule, ShownPreview } from '../policy/policy.ts'
import { argumentAt } from '../policy/read/argument-path.ts'
import type { ToolCall } from '../tool-call.ts'

/** Why a question was taken back: the server shows something else by now. */
export const previewChanged = 'preview-changed'

/** The tool whose result is shown before a call is approved, with its arguments. */
export interface WantedPreview {
  readonly tool: string
  readonly arguments: JsonObject
}

/** What calling it brought: the start of its text, and the digest of all of its result; or why there is nothing to show. */
export type PreviewReply =
  | { readonly text: string; readonly leftOut: number; readonly digest: string }
  | { readonly problem: string }

/** Calls the tool of a preview, if this entrance can. Never rejects. */
export type CallPreview = (wanted: WantedPreview) => Promise<PreviewReply>

/**
 * The decision with what its rule wants shown. What was shown is part of what a yes is bound to: a preview that differs
 * later counts like another rule, and asks again.
 */
export async function withPreview(call: ToolCall, decision: Decision, preview?: CallPreview): Promise<Decision> {
  const { previewBy, ruleDigest } = decision
  if (previewBy === undefined || decision.decide !== 'ask' || decision.preview !== undefined) return decision
  const reply = await (preview?.({ tool: previewBy.tool, arguments: argumentsFor(previewBy, call) }) ?? cannotPreview)
  const failed = 'problem' in reply
  // Why it failed may be told in other words each time, and is no news to whoever saw that it failed.
  const shown = digest(['preview', ruleDigest, failed ? 'failed' : reply.digest])
  const made: ShownPreview = failed
    ? { tool: previewBy.tool, rule: ruleDigest, problem: reply.problem }
    : { tool: previewBy.tool, rule: ruleDigest, text: reply.text, leftOut: reply.leftOut }
  return { ...decision, ruleDigest: shown, preview: made }
}

/** Of which arguments a preview is, where that could be mistaken; undefined: of those that would run. */
export function previewNote(
  { voting }: Pick<Elicitation, 'voting'>,
  { preview, editable }: Decision,
): string | undefined {
  if (preview?.text === undefined) return undefined
  if (voting?.edit !== undefined) return 'It is of the call as it was asked for, before its arguments were changed.'
  return editable.length === 0
    ? undefined
    : 'It is of the call as it was asked for, and says nothing of what you change.'
}

const cannotPreview: PreviewReply = { problem: 'Calls that come this way have no preview.' }

function argumentsFor({ arguments: mapped }: PreviewRule, { arguments: given }: ToolCall): JsonObject {
  if (mapped === undefined) return given
  const entries = Object.entries(mapped).map(([name, value]) => [
    name,
    typeof value === 'string' ? argumentAt(given, value) : value,
  ])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, Json>
}
