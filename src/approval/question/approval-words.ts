import { visibleLine } from '../../base/text/visible-text.ts'
import type { ToolCall } from '../tool-call.ts'

/** What is asked, in our words: the verb first, and nothing that a server wrote but names, made visible. */
export function approvalWords({ server, tool }: Pick<ToolCall, 'server' | 'tool'>): string {
  return `Run ${visibleLine(tool, 80)} on ${visibleLine(server, 80)}?`
}
