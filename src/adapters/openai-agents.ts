import type { ToolDefinition } from '../approval/tool-call.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { type PendingCall, startAsGiven, type ToolGate } from './tool-gate.ts'

/** What is used of a function tool of OpenAI Agents (`@openai/agents` 0.20). */
interface OpenAiTool {
  readonly type: 'function'
  readonly name: string
  readonly description: string
  readonly parameters: unknown
  // biome-ignore lint/suspicious/noExplicitAny: OpenAI Agents types it by the context of the run.
  invoke(context: any, input: string, details?: any): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: and by the parameters of the tool.
  needsApproval: (context: any, input: any, callId?: string) => Promise<boolean>
}

/** What is used of a call that a run waits to be approved. */
interface Interruption {
  readonly name?: string | undefined
  readonly arguments?: string | undefined
  readonly rawItem?: { readonly callId?: unknown } | object
}

/** What is used of the result of a run, or of its state. */
interface InterruptedRun<Item extends Interruption> {
  readonly interruptions?: readonly Item[] | undefined
  readonly state: {
    approve(item: Item): void
    reject(item: Item, options?: { message?: string }): void
  }
}

/** Function tools whose calls Assent decides, and their interruptions. */
export interface OpenAiGuard<Tool extends OpenAiTool> {
  /** The same tools. Each call interrupts the run, and runs only after Assent let it, once. */
  readonly tools: Tool[]
  /**
   * Approves and rejects what interrupted a run, as policy and people say. Returns what is still pending: run the state
   * again when nothing is, or keep it and come back later.
   */
  answerInterruptions<Item extends Interruption>(run: InterruptedRun<Item>): Promise<PendingCall[]>
}

/** Questions that are remembered until their runs come back. For others a no that came meanwhile is not found, and is asked again. */
const mostWaiting = 1_000

/** A run gives its interruptions as new objects each time. */
function keyOf({ name, arguments: given, rawItem = {} }: Interruption): string {
  return JSON.stringify([name, given, 'callId' in rawItem && rawItem.callId])
}

/**
 * Tools of OpenAI Agents whose calls Assent decides. The yes is spent where the tool runs: an approval that does not come
 * from Assent runs nothing.
 */
export function openAiTools<Tool extends OpenAiTool>(gate: ToolGate, tools: readonly Tool[]): OpenAiGuard<Tool> {
  const definitions = new Map(tools.map((tool) => [tool.name, definitionOf(tool)]))
  const waiting = new Map<string, ElicitationId>()
  const argumentsIn = (text: string | undefined): unknown => {
    try {
      return JSON.parse(text === undefined || text === '' ? '{}' : text)
    } catch {
      // No object, so the gate refuses it.
      return text
    }
  }
  return {
    tools: tools.map((tool) => ({
      ...tool,
      needsApproval: async () => true,
      async invoke(context: unknown, input: string, details?: { readonly signal?: AbortSignal }) {
        const wanted = { tool: definitionOf(tool), arguments: argumentsIn(input) }
        const execute = (given: object) => tool.invoke(context, JSON.stringify(given), details)
        const end = await gate.run(wanted, execute, { signal: details?.signal })
        return end.kind === 'ran' ? end.result : end.message
      },
    })),
    async answerInterruptions({ interruptions = [], state }) {
      const answers = interruptions.map(async (item) => {
        const { name = '' } = item
        const definition = definitions.get(name)
        const wanted = { tool: definition ?? name, arguments: argumentsIn(item.arguments) }
        const question = waiting.get(keyOf(item))
        const options = question === undefined ? {} : { question }
        // A tool that is not one of these, such as an MCP server's, spends no yes where it runs, so it is spent here.
        const decision = await (definition ? gate.ask(wanted, options) : startAsGiven(gate, wanted, options))
        return { item, decision }
      })
      const pending: PendingCall[] = []
      for (const { item, decision } of await Promise.all(answers)) {
        if (decision.kind === 'allow') state.approve(item)
        if (decision.kind === 'deny') state.reject(item, { message: decision.message })
        waiting.delete(keyOf(item))
        if (decision.kind !== 'pending') continue
        const [oldest] = waiting.keys()
        if (waiting.size >= mostWaiting && oldest !== undefined) waiting.delete(oldest)
        waiting.set(keyOf(item), decision.question)
        pending.push(decision)
      }
      return pending
    },
  }
}

function definitionOf({ name, description, parameters }: OpenAiTool): ToolDefinition {
  return { name, description, inputSchema: JSON.parse(JSON.stringify(parameters)) }
}
