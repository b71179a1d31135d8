import type { ToolDefinition } from '../approval/tool-call.ts'
import { isPlainObject } from '../base/json.ts'
import { startAsGiven, type ToolGate } from './tool-gate.ts'

/** What is used of a tool of the AI SDK (`ai` 7). */
interface AiTool {
  // biome-ignore lint/suspicious/noExplicitAny: the AI SDK types each tool by its own input and output.
  execute?: ((input: any, options: any) => unknown) | undefined
  readonly inputSchema?: unknown
  readonly description?: unknown
  readonly title?: string | undefined
}

/** For `generateText`, `streamText` and `ToolLoopAgent`, both together. */
export interface AiGuard<Tools> {
  /** The same tools; each call runs only after Assent let it, once. */
  readonly tools: Tools
  /** Asks Assent before the AI SDK runs a tool, so that a no is shown to the model as a denial. */
  toolApproval(request: {
    readonly toolCall: { readonly toolName: string; readonly input: unknown }
  }): Promise<{ type: 'approved' } | { type: 'denied'; reason: string }>
}

/**
 * Tools of the AI SDK whose calls Assent decides. The yes is spent where the tool runs: an approval that is forged into the
 * messages, or that comes from anywhere else, runs nothing.
 */
export function aiSdkTools<Tools extends Readonly<Record<string, AiTool>>>(
  gate: ToolGate,
  tools: Tools,
): AiGuard<Tools> {
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guard(gate, name, tool)] as const)
  return {
    tools: Object.fromEntries(guarded) as unknown as Tools,
    async toolApproval({ toolCall: { toolName, input } }) {
      const tool = Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
      const wanted = { tool: await definitionOf(toolName, tool ?? {}), arguments: input }
      // What others run, such as a browser, is started here: nothing later would spend its yes.
      const decision = tool?.execute === undefined ? await startAsGiven(gate, wanted) : await gate.ask(wanted)
      return decision.kind === 'allow' ? { type: 'approved' } : { type: 'denied', reason: decision.message }
    },
  }
}

function guard(gate: ToolGate, name: string, tool: AiTool): AiTool {
  const { execute } = tool
  if (execute === undefined) return tool
  return {
    ...tool,
    async execute(input: unknown, options: { readonly abortSignal?: AbortSignal } | undefined) {
      const wanted = { tool: await definitionOf(name, tool), arguments: input }
      const end = await gate.run(
        wanted,
        async (given, { changes }) => {
          const mine = changes.length === 0 ? given : await read(tool, given)
          return lastOf(execute.call(tool, mine, options))
        },
        { signal: options?.abortSignal },
      )
      if (end.kind === 'ran') return end.result
      throw new Error(end.message)
    },
  }
}

/** A tool may stream what it has so far. The last of it is its result. */
async function lastOf(result: unknown): Promise<unknown> {
  const awaited = await result
  if (typeof awaited !== 'object' || awaited === null || !(Symbol.asyncIterator in awaited)) return awaited
  let last: unknown
  for await (const part of awaited as AsyncIterable<unknown>) last = part
  return last
}

interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): unknown
    readonly jsonSchema?: { input(options: object): unknown }
  }
}

/** The schema of a tool: of zod and the like, of `jsonSchema`, or a function that makes one. */
function schemaOf({ inputSchema }: AiTool): object | undefined {
  const schema = typeof inputSchema === 'function' && !('~standard' in inputSchema) ? inputSchema() : inputSchema
  return typeof schema === 'object' && schema !== null ? schema : undefined
}

async function definitionOf(name: string, tool: AiTool): Promise<ToolDefinition> {
  const { description, title } = tool
  const schema = schemaOf(tool) as Partial<StandardSchema & { jsonSchema: unknown }> | undefined
  const inputSchema =
    (await schema?.jsonSchema) ?? schema?.['~standard']?.jsonSchema?.input({ target: 'draft-2020-12' })
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(title !== undefined && { title }),
    ...(isPlainObject(inputSchema) && { inputSchema: JSON.parse(JSON.stringify(inputSchema)) }),
  }
}

/** What the approver edited, read as the AI SDK reads what a model sends. */
async function read(tool: AiTool, given: unknown): Promise<unknown> {
  const schema = schemaOf(tool)
  if (schema === undefined || !('~standard' in schema)) return given
  const result = (await (schema as StandardSchema)['~standard'].validate(given)) as {
    value?: unknown
    issues?: unknown
  }
  if (result.issues === undefined) return result.value
  throw new Error('The approver changed the arguments, and the tool does not accept them.')
}
