import { definitionDigest, serverDefinitionDigest, type ToolDefinition } from '../approval/tool-call.ts'
import type { JsonObject } from '../base/json.ts'

/** A tool as its author registered it. */
export interface RegisteredTool {
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: JsonObject
}

/** What approving must know of a tool. */
export interface ToolFacts {
  readonly definition: string
  readonly serverDefinition: string
  readonly annotations?: JsonObject
  readonly inputSchema?: JsonObject
  readonly title?: string
}

interface Standard {
  readonly '~standard': {
    validate(value: unknown): Promise<Validated> | Validated
    readonly jsonSchema: { input(options: object): JsonObject; output(options: object): JsonObject }
  }
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

interface ChangingTool extends RegisteredTool {
  update(updates: { readonly name?: string | null }): void
}

/** Remembers a tool under the name it has. Its author may change it while it is served, so it is kept as it lives. */
export function keepFacts(tools: Map<string, RegisteredTool>, name: string, tool: ChangingTool): void {
  tools.set(name, tool)
  const { update } = tool
  let called = name
  tool.update = (updates) => {
    update(updates)
    if (updates.name === undefined || updates.name === called) return
    tools.delete(called)
    if (updates.name === null) return
    called = updates.name
    tools.set(called, tool)
  }
}

/** What an approver edited, as the tool's author reads arguments. */
export async function readArguments(
  schema: unknown,
  given: JsonObject,
): Promise<{ readonly value: unknown } | { readonly problem: string }> {
  if (typeof schema !== 'object' || schema === null || !('~standard' in schema)) return { value: given }
  const read = await (schema as Standard)['~standard'].validate(given)
  if (read.issues === undefined) return { value: read.value }
  return { problem: read.issues.map(({ message }) => message).join(' ') }
}

/** Worked out when it is asked for: most tools are never approved. */
export function factsOf(tools: ReadonlyMap<string, RegisteredTool>, name: string): ToolFacts {
  const definitions = [...tools].map(([tool, config]) => definitionOf(tool, config))
  const mine = definitions.find((tool) => tool.name === name) ?? { name }
  const { annotations, inputSchema, title } = mine as ToolDefinition & RegisteredTool
  return {
    definition: definitionDigest(mine),
    serverDefinition: serverDefinitionDigest(definitions),
    ...(annotations !== undefined && { annotations: annotations as JsonObject }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as JsonObject }),
    ...(title !== undefined && { title }),
  }
}

function definitionOf(
  name: string,
  { title, description, inputSchema, outputSchema, annotations }: RegisteredTool,
): ToolDefinition {
  return {
    name,
    title,
    description,
    inputSchema: jsonOf(inputSchema, 'input'),
    outputSchema: jsonOf(outputSchema, 'output'),
    annotations,
  }
}

/** Authors write schemas with zod and the like, or as JSON Schema. */
function jsonOf(schema: unknown, side: 'input' | 'output'): unknown {
  if (typeof schema !== 'object' || schema === null || !('~standard' in schema)) return schema
  const json = (schema as Standard)['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })
  return JSON.parse(JSON.stringify(json))
}
