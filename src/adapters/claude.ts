import type { JsonObject } from '../base/json.ts'
import type { AgentAnswer, AgentQuestion } from './ask-person.ts'
import type { AllowedCall, ToolGate } from './tool-gate.ts'

/** What `canUseTool` of the Claude Agent SDK answers. */
type Permission =
  | { readonly behavior: 'allow'; readonly updatedInput: JsonObject }
  | { readonly behavior: 'deny'; readonly message: string }

interface EndHook {
  hooks: ((input: object, toolUseID: string | undefined) => Promise<Record<string, never>>)[]
}

/** Options for `query` of the Claude Agent SDK. */
export interface ClaudeGuard {
  /** Holds a tool until a person decided, as policy says. What an approver edited is what runs. */
  canUseTool(
    toolName: string,
    input: Record<string, unknown>,
    options: { readonly signal: AbortSignal; readonly toolUseID: string },
  ): Promise<Permission>
  /** Puts questions of MCP servers into the inbox. */
  onElicitation(request: AgentQuestion, options: { readonly signal: AbortSignal }): Promise<AgentAnswer>
  /** Tell the audit how each call ended. */
  readonly hooks: { PostToolUse: EndHook[]; PostToolUseFailure: EndHook[] }
}

/** Calls whose end is waited for at the same time. The end of older ones is not recorded. */
const mostRunning = 1_000

/**
 * Backs the permissions of the Claude Agent SDK by Assent. The SDK asks only for what its own rules do not allow: give it no
 * `allowedTools`, and `settingSources: []`.
 */
export function claudeOptions(gate: ToolGate): ClaudeGuard {
  const running = new Map<string, AllowedCall>()
  const end = (outcome: 'done' | 'failed'): EndHook => ({
    hooks: [
      async (_input, toolUseID = '') => {
        const call = running.get(toolUseID)
        running.delete(toolUseID)
        await call?.ended(outcome)
        return {}
      },
    ],
  })
  return {
    async canUseTool(toolName, input, { signal, toolUseID }) {
      const decision = await gate.decide({ tool: toolName, arguments: input }, { signal })
      if (decision.kind !== 'allow') return { behavior: 'deny', message: decision.message }
      const [oldest] = running.keys()
      if (running.size >= mostRunning && oldest !== undefined) running.delete(oldest)
      running.set(toolUseID, decision)
      return { behavior: 'allow', updatedInput: decision.arguments }
    },
    onElicitation: (request, { signal }) => gate.elicit(request, { signal }),
    hooks: { PostToolUse: [end('done')], PostToolUseFailure: [end('failed')] },
  }
}
