import { digest } from '../base/canonical.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { type Requester, requesterKey } from '../participant/requester.ts'

/** What a requester wants done: one tool of one server, with these arguments. */
export interface ToolCall {
  readonly requester: Requester
  /** The groups that the requester's verified identity names. */
  readonly groups?: readonly string[]
  readonly server: string
  readonly tool: string
  readonly arguments: JsonObject
  /** Digest of the tool's definition, as `definitionDigest` makes it. */
  readonly definition: string
  /** Digest of all definitions of the server, as `serverDefinitionDigest` makes it. */
  readonly serverDefinition?: string
  /** What the server says of its tool: hearsay, unless the server is trusted. */
  readonly annotations?: JsonObject
  /** Whether whoever runs the installation takes this server at its word. */
  readonly trusted: boolean
  readonly inputSchema?: JsonObject
  /** What people call the tool. */
  readonly title?: string
}

/** What a server says a tool is: all that a person, or a model, could have based their yes on. */
export interface ToolDefinition {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

/** What a decision about a call is based on besides who calls what: the same for every entrance. */
export type ToolFacts = Pick<ToolCall, 'definition' | 'serverDefinition' | 'annotations' | 'inputSchema' | 'title'>

/** The facts of a tool, from its definition and the digest of all definitions of its server. */
export function toolFacts(
  tool: ToolDefinition,
  serverDefinition: string,
  definition = definitionDigest(tool),
): ToolFacts {
  const { annotations, inputSchema, title } = tool
  return {
    definition,
    serverDefinition,
    ...(isPlainObject(annotations) && { annotations: annotations as JsonObject }),
    ...(isPlainObject(inputSchema) && { inputSchema: inputSchema as JsonObject }),
    ...(typeof title === 'string' && { title }),
  }
}

/** Equal exactly for the same requester, server, tool, definition and arguments, whatever the order of their keys. */
export function callDigest({ requester, server, tool, definition, arguments: given }: ToolCall): string {
  return digest(['call', requesterKey(requester), server, tool, definition, given])
}

/** What a one-time yes is bound to: the call, and the rule that asked. Change one, ask again. */
export function approvalDigest(call: ToolCall, ruleDigest: string): string {
  return digest(['approval', callDigest(call), ruleDigest])
}

/**
 * The definition that a yes for some arguments is bound to. Another one than the tool's: a version that does not know of
 * such yeses must find that this one does not count.
 */
export function definitionWhere({ definition }: Pick<ToolCall, 'definition'>): string {
  return digest(['where', definition])
}

/** Changes whenever the server says anything else about its tool. */
export function definitionDigest(tool: ToolDefinition): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return digest(['tool', { name, title, description, inputSchema, outputSchema, annotations }])
}

/** Changes whenever a tool comes, goes or changes; the order in which a server lists them means nothing. */
export function serverDefinitionDigest(tools: readonly ToolDefinition[]): string {
  return serverDefinitionOf(tools.map(definitionDigest))
}

/** The same, from the digests of its tools. */
export function serverDefinitionOf(definitions: readonly string[]): string {
  return digest(['server', [...definitions].sort()])
}
