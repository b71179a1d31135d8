import type { ToolCall } from '../approval/tool-call.ts'
import { argumentProblem, digest } from '../base/canonical.ts'
import { BadArgument } from '../base/errors.ts'
import { isPlainObject, type Json, type JsonObject, parseJson } from '../base/json.ts'
import type { ParticipantId } from '../participant/participant.ts'
import { type HookClient, type HookEvent, hookEvents, takesEdits } from './contracts.ts'

/** What a coding agent asks its hook: may this tool be called? */
export interface HookCall {
  readonly client: HookClient
  readonly event: HookEvent
  /** In the client's own words, such as `Bash`. */
  readonly tool: string
  readonly input: JsonObject
  /** Where the client works; what a shell command does depends on it. */
  readonly cwd?: string
  /** How the client treats its own prompts, as it says. */
  readonly mode?: string
}

/** The hook was called for an event that it does not decide about. */
export class OtherEvent extends BadArgument {}

/** Reads what a client sends to its hook. Throws `BadArgument` if that cannot be understood: then nothing is decided. */
export function readHookCall(client: HookClient, text: string): HookCall {
  const said = parsed(text)
  if (!isPlainObject(said)) throw new BadArgument('The input of a hook must be one JSON object.')
  const { hook_event_name: name, tool_name: tool, tool_input: given, cwd, permission_mode: mode } = said
  const event = hookEvents.find((one) => one === name)
  if (event === undefined && typeof name === 'string') {
    throw new OtherEvent(`This hook decides ${hookEvents.join(' and ')}. Remove it from the hooks for other events.`)
  }
  if (event === undefined) throw new BadArgument('The input of the hook has no hook_event_name.')
  if (typeof tool !== 'string' || tool === '') throw new BadArgument('The input of the hook has no tool_name.')
  const input = given ?? {}
  const problem = argumentProblem({ tool, input, cwd }, 'The input of the hook')
  if (problem !== undefined) throw new BadArgument(problem)
  if (!isPlainObject(input)) throw new BadArgument('tool_input must be a JSON object.')
  return {
    client,
    event,
    tool,
    input: input as JsonObject,
    ...(typeof cwd === 'string' && { cwd }),
    ...(typeof mode === 'string' && { mode }),
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The call as policy, people and the audit see it. The server's name is the client's. */
export function callOfHook(hook: HookCall, participant: ParticipantId): ToolCall {
  const { client, tool } = hook
  const given = withCwd(hook)
  return {
    requester: { participant, client, clientName: client },
    server: client,
    tool,
    arguments: given,
    // No definition is known. Its digest differs where arguments cannot be edited: a yes to an edited call, used by an
    // event that cannot pass the edits on, would run what nobody allowed.
    definition: digest(['hook', client, tool, takesEdits(hook)]),
    inputSchema: schemaOf(given),
    trusted: false,
  }
}

/** A yes to `make clean` in one folder is none in another, so the folder is shown, judged and bound as an argument. */
function withCwd(hook: HookCall): JsonObject {
  const { input, cwd } = hook
  return cwd === undefined ? input : { ...input, [cwdName(hook)]: cwd }
}

/** A tool may have arguments of such names. */
function cwdName({ input }: HookCall): string {
  let name = 'cwd'
  while (Object.hasOwn(input, name)) name = `$${name}`
  return name
}

/** What the client takes back: the arguments of its tool, without the folder. */
export function inputOf(hook: HookCall, call: ToolCall): JsonObject {
  if (hook.cwd === undefined) return call.arguments
  const name = cwdName(hook)
  return Object.fromEntries(Object.entries(call.arguments).filter(([key]) => key !== name))
}

/** An edited argument keeps the type that the client gave it. */
function schemaOf(given: JsonObject): JsonObject {
  const properties = Object.entries(given).map(([name, value]) => [name, { type: typeOf(value as Json) }])
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
