import type { StandardSchemaWithJSON } from '@modelcontextprotocol/client'
import { type CallToolResult, McpServer } from '@modelcontextprotocol/server'
import type { ApprovalRefused } from '../approval/approval.ts'
import type { PolicySettings, RuleSettings } from '../approval/policy/policy-settings.ts'
import { serverDefinitionDigest, type ToolCall, type ToolDefinition, toolFacts } from '../approval/tool-call.ts'
import { withApproval } from '../asking/approval/approve-call.ts'
import type { Asks } from '../asking/asks.ts'
import type { Assent } from '../assent.ts'
import { isPlainObject, type JsonObject } from '../base/json.ts'
import { type Sent, type StartedCall, walk } from '../call/walk.ts'
import type { Elicitation } from '../elicitation/elicitation.ts'
import { agentIdentity } from '../hub/options.ts'
import { AskRefused, refusalResult } from '../mcp/refusal.ts'
import type { Requester } from '../participant/requester.ts'
import { createAssentServer } from '../server/assent-server.ts'
import { askApprovers, nameIn } from './approvers.ts'
import type { Incoming, SpaceConnection } from './connection.ts'
import { answering, pendingMethod, type Requests } from './requests.ts'
import { serverSource } from './tools/mcp-source.ts'
import type { AgentToolSource } from './tools/source.ts'

/** A tool of an agent, in straight-line code: `run` may ask whoever the call is for. */
export interface AgentToolOptions<Args = Record<string, unknown>> {
  /** A name for people. */
  readonly title?: string
  /** What the tool does, for models and people. */
  readonly description?: string
  /** A zod schema, or another one with a JSON schema. Left out: the tool takes no arguments. */
  readonly inputSchema?: unknown
  /** Hints about what the tool does, as MCP names them. */
  readonly annotations?: JsonObject
  /** Runs the tool. Text is a result with one part. */
  run(args: Args, ask: Asks): Promise<CallToolResult | string> | CallToolResult | string
}

/** What `serveTools` takes: tools by name, an MCP server, a function that makes one, or a source of tools. */
export type ServedTools =
  | Readonly<Record<string, AgentToolOptions<never>>>
  | McpServer
  | (() => McpServer)
  | AgentToolSource

export interface ServeToolsOptions {
  /** Which calls run, which are denied, and which somebody in the space is asked about. Default: all calls run. */
  readonly policy?: PolicySettings
  /** Keeps questions, grants and the audit. Default: one in memory. */
  readonly assent?: Assent
}

export interface ServeParts {
  readonly space: string
  readonly connection: SpaceConnection
  readonly requests: Requests
  participants(): readonly { readonly id: string; readonly kind: string; readonly for?: string }[]
}

/** Answers the calls of other participants. */
export interface Serving {
  /** Aborting it ends the waiting for a person, and tells the tool; the question stays. */
  call(envelope: Incoming, signal: AbortSignal): Promise<JsonObject>
  list(): Promise<JsonObject>
  close(): Promise<void>
}

/** Serves tools in a space. Calls that the policy asks about wait for the answer of somebody in the space. */
export async function createServing(
  parts: ServeParts,
  served: ServedTools,
  options: ServeToolsOptions = {},
): Promise<Serving> {
  const { space, connection, requests } = parts
  const assent = options.assent ?? (await ownAssent(space, options.policy))
  const source = sourceOf(assent, connection.id, served)
  source.onChange?.(tellTools)
  tellTools()

  /** The hub and the others ask again which tools there are. */
  function tellTools(): void {
    connection.send({ kind: 'mcp', payload: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } })
  }

  async function callOf(envelope: Incoming): Promise<ToolCall> {
    const { params } = envelope.payload as { params?: JsonObject }
    const tools = (await source.list()) as readonly ToolDefinition[]
    const tool = tools.find(({ name }) => name === params?.name)
    const requester = requesterOf(parts, envelope)
    const given = isPlainObject(params?.arguments) ? (params?.arguments as JsonObject) : {}
    const call = { requester, server: connection.id, tool: String(params?.name), arguments: given, trusted: true }
    return tool === undefined
      ? { ...call, definition: '' }
      : { ...call, ...toolFacts(tool, serverDefinitionDigest(tools)) }
  }

  /** Tells the caller that it has to wait, and asks whoever may approve. */
  async function askAbout(
    elicitation: Elicitation,
    envelope: Incoming,
    call: ToolCall,
    signal: AbortSignal,
  ): Promise<void> {
    const requestId = envelope.payload.id as string
    const message = `A person must approve ${call.tool} first.`
    const params = { requestId, message, expiresAt: elicitation.expiresAt.toISOString() }
    connection.send({
      to: [envelope.from],
      kind: 'mcp',
      correlationId: envelope.id,
      payload: { jsonrpc: '2.0', method: pendingMethod, params },
    })
    const original = { from: envelope.from, tool: call.tool, arguments: call.arguments, requestId }
    await askApprovers(
      { space, assent, requests, isKeptElsewhere: options.assent !== undefined },
      elicitation,
      original,
      signal,
    )
  }

  function send(
    envelope: Incoming,
    root: string,
    started: StartedCall,
    signal: AbortSignal,
  ): Promise<Sent<JsonObject>> {
    const { call } = started
    return answering.run({ envelope: envelope.id }, async (): Promise<Sent<JsonObject>> => {
      try {
        const result = await source.call(call.tool, call.arguments, {
          signal,
          asker: `${envelope.from} ${root}`,
          ask: (params, signal) => requests.send(root, 'elicitation/create', params, { signal }),
        })
        const told = withApproval(result as never, started) as unknown as JsonObject
        return { result: told, outcome: result.isError === true ? 'failed' : 'done' }
      } catch (error) {
        return { result: { error: { code: -32_603, message: messageOf(error) } }, outcome: 'failed' }
      }
    })
  }

  return {
    async list() {
      return { tools: (await source.list()) as never }
    },
    async call(envelope, signal) {
      const call = await callOf(envelope)
      const root = personOf(parts, envelope)
      let question: Elicitation['id'] | undefined
      for (;;) {
        signal.throwIfAborted()
        const outcome = await walk<JsonObject, undefined, never>(
          {
            approvals: assent.approvals,
            access: async () => ({ kind: 'ready', credential: undefined }),
            send: (started) => send(envelope, root, started, signal),
            finish: 'now',
          },
          { call, walkId: `${envelope.from}/${envelope.id}`, ...(question !== undefined && { question }) },
        )
        if (outcome.kind === 'done') return outcome.result
        if (outcome.kind === 'refused') return refusalOf(outcome)
        question = outcome.elicitation.id
        await askAbout(outcome.elicitation, envelope, call, signal)
      }
    },
    async close() {
      await source.close()
      if (options.assent === undefined) await assent.close()
    },
  }
}

function refusalOf({ status, message, reason }: ApprovalRefused): JsonObject {
  return refusalResult(new AskRefused(status, message, reason)) as unknown as JsonObject
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The one whom a call is for: the human at the beginning of its chain, or whoever sent it. */
function personOf({ participants }: ServeParts, { from, assent }: Incoming): string {
  const root = assent?.root ?? from
  return participants().find(({ id }) => id === root)?.for ?? root
}

function requesterOf(parts: ServeParts, envelope: Incoming): Requester {
  const { from, assent } = envelope
  const { space, participants } = parts
  const humans = new Set(participants().flatMap(({ id, kind }) => (kind === 'human' ? [id] : [])))
  const agents = [...(assent?.agents ?? []), from].filter((id) => !humans.has(id))
  return {
    participant: agentIdentity(space, personOf(parts, envelope)),
    client: agentIdentity(space, from),
    clientName: from,
    ...(agents.length > 0 && { agents: agents.map((id) => agentIdentity(space, id)) }),
  }
}

/** An Assent in memory, whose rules may name people by their ids in the space. */
async function ownAssent(space: string, policy: PolicySettings = { default: 'allow' }): Promise<Assent> {
  const { createAssent } = await import('../assent.ts')
  const rules = policy.rules?.map((rule) => ({ ...rule, ...peopleOf(space, rule) }))
  return createAssent({ store: 'memory:', policy: { fallback: 'inbox', ...policy, ...(rules && { rules }) } })
}

function peopleOf(space: string, { approvers, delegate, escalate }: RuleSettings): Partial<RuleSettings> {
  const named = (names: string | readonly string[]) =>
    (typeof names === 'string' ? [names] : names).map((name) => nameIn(space, name))
  return {
    ...(approvers !== undefined && { approvers: named(approvers) }),
    ...(delegate !== undefined && { delegate: delegate === true ? delegate : named(delegate) }),
    ...(escalate !== undefined && { escalate: escalate.map(({ after, to }) => ({ after, to: named(to) })) }),
  }
}

function sourceOf(assent: Assent, name: string, served: ServedTools): AgentToolSource {
  if (typeof served === 'function') return serverSource(served)
  if (served instanceof McpServer) return serverSource(() => served, { sessions: 1 })
  if (isSource(served)) return served
  return serverSource(() => serverWith(assent, name, served))
}

function isSource(served: object): served is AgentToolSource {
  return 'list' in served && typeof served.list === 'function' && 'call' in served && typeof served.call === 'function'
}

/** The tools as an MCP server whose handlers may ask. */
function serverWith(assent: Assent, name: string, tools: Readonly<Record<string, AgentToolOptions<never>>>): McpServer {
  const asking = createAssentServer(assent, { name })
  const server = asking.server({ name, version: '1' })
  for (const [tool, { run, inputSchema, ...described }] of Object.entries(tools)) {
    const result = async (args: unknown, ask: Asks) => resultOf(await run(args as never, ask))
    if (inputSchema === undefined) {
      server.registerTool(tool, described as never, asking.plainTool((ask) => result({}, ask)) as never)
    } else {
      const config = { ...described, inputSchema: inputSchema as StandardSchemaWithJSON }
      server.registerTool(tool, config as never, asking.tool((args, ask) => result(args, ask)) as never)
    }
  }
  return server
}

function resultOf(result: CallToolResult | string): CallToolResult {
  return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result
}
