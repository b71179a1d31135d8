import { cannotTellApart, nameText } from '../../base/text/names.ts'
import { showArguments, shownText } from '../../base/text/show-text.ts'
import { namedClient } from '../../participant/requester.ts'
import type { Decision } from '../policy/policy.ts'
import type { ToolCall } from '../tool-call.ts'

/**
 * What the approver is told in their client: the question, a line for each argument, and why they are asked. Never
 * shortened, and without blank lines, since some clients show a few lines only.
 */
export function clientWords(call: ToolCall, decision: Decision, message = approvalWords(call)): string {
  const shown = showArguments(call.arguments, 'compact').map(
    ({ name, value }) => `${shownText(name)}: ${indented(shownText(value))}`,
  )
  const facts = shown.length === 0 ? ['It has no arguments.'] : shown
  const note = cannotTellApart(namedClient(call.requester).known)
  return [message, ...facts, decision.why.words, ...(note === undefined ? [] : [note])].join('\n')
}

function indented(text: string): string {
  return text.includes('\n') ? `\n  ${text.replaceAll('\n', '\n  ')}` : text
}

/** What is asked, in our words: the verb first, and nothing that a server wrote but names, made visible. */
export function approvalWords({ server, tool }: Pick<ToolCall, 'server' | 'tool'>): string {
  return `Run ${nameText(tool)} on ${nameText(server)}?`
}
