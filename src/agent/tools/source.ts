import type { JsonObject } from '../../base/json.ts'

/** A tool, as MCP describes it. */
export interface ToolDescription {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: JsonObject
  readonly annotations?: JsonObject
}

/** Asks a person in the middle of a call; the parameters and the result are those of `elicitation/create`. */
export type AskPerson = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject>

/** Where the tools of an agent come from. */
export interface AgentToolSource {
  list(): Promise<readonly ToolDescription[]>
  call(name: string, args: JsonObject, calling: Calling): Promise<JsonObject>
  /** Calls this whenever the list has changed. Left out: it never does. */
  onChange?(listener: () => void): void
  close(): Promise<void>
}

export interface Calling {
  readonly signal: AbortSignal
  /** Who is asked by this call. Calls with another one have a session of their own. */
  readonly asker: string
  readonly ask: AskPerson
}
