import type { McpServer } from '@modelcontextprotocol/server'
import { serverDefinitionDigest, type ToolDefinition, toolFacts } from '../approval/tool-call.ts'
import type { ToolSource } from '../asking/context.ts'
import type { JsonObject } from '../base/json.ts'

/** A tool as its author registered it. */
interface RegisteredTool {
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: JsonObject
}

interface UpdatableTool extends RegisteredTool {
  update(updates: { readonly name?: string | null }): void
}

interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): Promise<Validated> | Validated
    readonly jsonSchema: { input(options: object): JsonObject; output(options: object): JsonObject }
  }
}

type Validated =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] }

/** Follows which tools are registered on a server from now on. */
export function registeredTools(mcp: McpServer): ToolSource {
  const tools = new Map<string, RegisteredTool>()
  const { registerTool } = mcp
  mcp.registerTool = ((name: string, config: RegisteredTool, handler: unknown) => {
    const registered = registerTool.call(mcp, name, config as never, handler as never)
    follow(tools, name, registered as never)
    return registered
  }) as typeof mcp.registerTool
  return {
    factsOf(name) {
      const definitions = [...tools].map(([tool, config]) => definitionOf(tool, config))
      const tool = definitions.find((definition) => definition.name === name) ?? { name }
      return toolFacts(tool, serverDefinitionDigest(definitions))
    },
    async readArguments(name, given) {
      const schema = tools.get(name)?.inputSchema
      if (!isStandardSchema(schema)) return { value: given }
      const read = await schema['~standard'].validate(given)
      if (read.issues === undefined) return { value: read.value }
      return { problem: read.issues.map(({ message }) => message).join(' ') }
    },
  }
}

/** Keeps the tool under its present name. Authors may update a tool while it is served, so the object itself is kept. */
function follow(tools: Map<string, RegisteredTool>, firstName: string, tool: UpdatableTool): void {
  tools.set(firstName, tool)
  const { update } = tool
  let name = firstName
  tool.update = (updates) => {
    update(updates)
    if (updates.name === undefined || updates.name === name) return
    tools.delete(name)
    if (updates.name === null) return
    name = updates.name
    tools.set(name, tool)
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
    inputSchema: jsonSchemaOf(inputSchema, 'input'),
    outputSchema: jsonSchemaOf(outputSchema, 'output'),
    annotations,
  }
}

/** Authors write schemas with zod and the like, or as JSON Schema. */
function jsonSchemaOf(schema: unknown, side: 'input' | 'output'): unknown {
  if (!isStandardSchema(schema)) return schema
  return JSON.parse(JSON.stringify(schema['~standard'].jsonSchema[side]({ target: 'draft-2020-12' })))
}

function isStandardSchema(schema: unknown): schema is StandardSchema {
  return typeof schema === 'object' && schema !== null && '~standard' in schema
}
