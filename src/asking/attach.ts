import {
  isInputRequiredResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { requesterOf } from '../mcp/http/requester.ts'
import { modesOf } from '../mcp/modes.ts'
import { StateRefused } from '../mcp/request-state.ts'
import { isPerRequest, revisionOf } from '../mcp/revision.ts'
import { type AskingSettings, type RequestContext, rememberContext } from './context.ts'
import { knownClient } from './known-client.ts'
import { keepFacts, type RegisteredTool } from './registered-tools.ts'
import { endsRound } from './rounds/round.ts'
import { openWalk, sealWalk } from './rounds/seal-walk.ts'
import { newWalk, type WalkState } from './rounds/walk-state.ts'
import { answerTracking } from './track.ts'

/** The methods in which a server may ask (M26-02). */
const askable = new Set(['tools/call', 'prompts/get', 'resources/read'])

interface AskableRequest {
  readonly method: string
  readonly params: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown }
}
type Handler = (request: AskableRequest, ctx: ServerContext) => Promise<unknown>

/** Lets the tools, prompts and resources of a server ask. To be called before any of them is added. */
export function attach(settings: AskingSettings, mcp: McpServer): McpServer {
  const { server } = mcp
  const tools = new Map<string, RegisteredTool>()
  const ready = readiness(server)

  const { registerTool } = mcp
  mcp.registerTool = ((name: string, config: RegisteredTool, handler: unknown) => {
    const registered = registerTool.call(mcp, name, config as never, handler as never)
    keepFacts(tools, name, registered as never)
    return registered
  }) as typeof mcp.registerTool

  const setRequestHandler = server.setRequestHandler.bind(server) as (...args: unknown[]) => void
  server.setRequestHandler = ((method: string, ...rest: unknown[]) => {
    if (!askable.has(method)) return setRequestHandler(method, ...rest)
    const handler = rest[0] as Handler
    return setRequestHandler(method, (request: AskableRequest, ctx: ServerContext) =>
      handled({ settings, server, tools, ready }, request, ctx, handler),
    )
  }) as typeof server.setRequestHandler

  answerTracking(settings, server)
  return mcp
}

interface Attached {
  readonly settings: AskingSettings
  readonly server: Server
  readonly tools: ReadonlyMap<string, RegisteredTool>
  readonly ready: Promise<void>
}

/** One request on its way through: whose it is, where its walk stands, and how what it gives back is sealed. */
async function handled(
  attached: Attached,
  request: AskableRequest,
  ctx: ServerContext,
  handler: Handler,
): Promise<unknown> {
  const context = await contextFrom(attached, request, ctx)
  rememberContext(context)
  const result = await handler(request, context.ctx)
  if (!isInputRequiredResult(result)) return result
  if (context.lacks.size > 0) throw lacking(context.lacks)
  if (!isPerRequest(context.revision) || endsRound(result)) return result

  // A handler may return the SDK's own questions, with a state of its own: ours wraps it.
  if (result.requestState === undefined) return result
  context.walk.handlerState = result.requestState
  return { ...result, requestState: await sealWalk(context) }
}

async function contextFrom(
  { settings, server, tools, ready }: Attached,
  request: AskableRequest,
  ctx: ServerContext,
): Promise<RequestContext> {
  const { method, params } = request
  const name = params.name ?? params.uri ?? ''
  const revision = revisionOf(server.getNegotiatedProtocolVersion())
  const client = knownClient(server, ctx)
  const { participant, client: clientId, groups } = requesterOf(ctx)
  const call = {
    requester: { participant, client: clientId, ...(client.info && { clientName: client.info.name }) },
    method,
    name,
    arguments: params.arguments,
  }
  const state = isPerRequest(revision) ? ctx.mcpReq.requestState() : undefined
  const walk = typeof state === 'string' ? await opened(settings, call, state) : newWalk()
  return {
    ...settings,
    // A handler that keeps a state of its own gets that one back, and never sees ours.
    ctx:
      typeof state === 'string'
        ? { ...ctx, mcpReq: { ...ctx.mcpReq, requestState: () => walk.handlerState as never } }
        : ctx,
    call,
    person: { participant, groups },
    revision,
    capabilities: client.capabilities ?? {},
    modes: modesOf(client.capabilities?.elicitation, revision, client.info, settings.quirks),
    // Without a session nothing was ever declared, and there is nowhere to send a question to.
    canPush: !isPerRequest(revision) && client.capabilities !== undefined,
    tools,
    hasOutputSchema: tools.get(name)?.outputSchema !== undefined,
    responses: new Map(Object.entries(ctx.mcpReq.inputResponses ?? {})),
    isRetry: typeof state === 'string',
    ready,
    complete: (id) => complete(ctx, id),
    completeLater: (id) => completeLater(settings, server, id),
    lacks: new Set(),
    walk,
  }
}

function lacking(modes: ReadonlySet<string>): ProtocolError {
  const elicitation = Object.fromEntries([...modes].map((mode) => [mode, {}]))
  const message = `This needs a client that can be asked by ${[...modes].join(' and ')}`
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation } }, message)
}

async function opened(settings: AskingSettings, call: RequestContext['call'], state: string): Promise<WalkState> {
  try {
    return await openWalk(settings, call, state)
  } catch (error) {
    if (!(error instanceof StateRefused)) throw error
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, { reason: 'invalid_request_state' })
  }
}

async function complete({ mcpReq }: ServerContext, elicitationId: ElicitationId): Promise<void> {
  // The client may be gone by now; its next call finds the answer all the same.
  await mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => {})
}

/** On a session the client hears of it on its own stream; a client that is gone finds the answer with its next call. */
function completeLater({ assent, clocks }: AskingSettings, server: Server, elicitationId: ElicitationId): void {
  if (server.getClientCapabilities() === undefined) return
  const method = 'notifications/elicitation/complete'
  assent
    .wait(elicitationId, { timeoutMs: clocks.question })
    .then(async ({ state }) => {
      if (state.kind !== 'open') await server.notification({ method, params: { elicitationId } })
    })
    .catch(() => {})
}

/** Resolves when a 2025 client says that it is ready: it is not asked before (V11-02). */
function readiness(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.setNotificationHandler('notifications/initialized', () => {
      resolve()
      server.oninitialized?.()
    })
  })
}
