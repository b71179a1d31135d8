import {
  CLIENT_CAPABILITIES_META_KEY,
  isInputRequiredResult,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { argumentProblem } from '../base/canonical.ts'
import type { ElicitationId } from '../elicitation/elicitation.ts'
import { type Caller, callerOf, modesOf } from '../mcp/caller.ts'
import { codes } from '../mcp/codes.ts'
import { protocolErrorFrom } from '../mcp/errors.ts'
import { traitOf } from '../mcp/quirks.ts'
import { StateRefused } from '../mcp/request-state.ts'
import { isPerRequest } from '../mcp/revision.ts'
import { recordUndecided } from './approval/record-undecided.ts'
import { type AskingSettings, type RequestContext, rememberContext, type ToolSource } from './context.ts'
import { endsRound } from './rounds/round.ts'
import { openWalk, sealWalk } from './rounds/seal-walk.ts'
import { newWalk, type WalkState } from './rounds/walk-state.ts'
import { answerTracking } from './track.ts'

/** The methods in which a server may ask (M26-02). */
const askable = new Set(['tools/call', 'prompts/get', 'resources/read'])

export interface AskableRequest {
  readonly method: string
  readonly params: { readonly name?: string; readonly uri?: string; readonly arguments?: unknown }
}
type Handler = (request: AskableRequest, ctx: ServerContext) => Promise<unknown>

/** The server's side of a connection to a client, as far as asking needs it. An SDK server is one. */
export type ClientConnection = Pick<
  Server,
  'getNegotiatedProtocolVersion' | 'getClientVersion' | 'getClientCapabilities' | 'notification'
>

/**
 * Lets the handlers of an SDK server ask. Call it before any tool, prompt or resource is registered. `closed`: the client is
 * there until then. Left out: until the connection of this server is closed.
 */
export function attach(settings: AskingSettings, mcp: McpServer, tools?: ToolSource, closed?: AbortSignal): McpServer {
  const { server } = mcp
  const connected = closed === undefined ? connectedTo(server) : () => closed
  const attached = { settings, server, tools, ready: readiness(server), connected }
  const setRequestHandler = server.setRequestHandler.bind(server) as (...args: unknown[]) => void
  server.setRequestHandler = ((method: string, ...rest: unknown[]) => {
    if (!askable.has(method)) return setRequestHandler(method, ...rest)
    const handler = rest[0] as Handler
    return setRequestHandler(method, (request: AskableRequest, ctx: ServerContext) =>
      handled(attached, request, ctx, handler),
    )
  }) as typeof server.setRequestHandler
  answerTracking(settings, server)
  return mcp
}

/** What a request that may ask is handled with. */
export interface Attached {
  readonly settings: AskingSettings
  readonly server: ClientConnection
  readonly tools: ToolSource | undefined
  readonly ready: Promise<void>
  /** Aborts when the connection of this server is closed. */
  connected(): AbortSignal
}

/** Runs a handler with its context, and seals the state of what it returns. */
export async function handled(
  attached: Attached,
  request: AskableRequest,
  ctx: ServerContext,
  handler: Handler,
): Promise<unknown> {
  const progress = { isAnswered: false }
  const made = readableContext(attached, request, ctx, progress)
  // Most requests bring no state, and need not wait.
  const context = made instanceof Promise ? await made : made
  rememberContext(context)
  try {
    const result = await handler(request, context.ctx)
    if (!isInputRequiredResult(result)) return result
    if (context.lacks.length > 0) throw lacking(context.lacks)
    if (!isPerRequest(context.revision)) return result
    declareModes(ctx, context)
    if (endsRound(result)) return result

    // A handler may return the SDK's own questions. Ours wraps its state, and must not be lost if it holds answers.
    const { walk } = context
    if (result.requestState === undefined && Object.keys(walk.answered).length === 0) return result
    if (result.requestState === undefined) delete walk.handlerState
    else walk.handlerState = result.requestState
    return { ...result, requestState: await sealWalk(context) }
  } finally {
    progress.isAnswered = true
  }
}

/** The SDK refuses to ask a client by a mode that its request does not declare, and knows nothing of modes that a quirk adds. */
function declareModes({ mcpReq }: ServerContext, { modes, capabilities, revision }: RequestContext): void {
  const declared = modesOf(capabilities.elicitation, revision)
  const form = modes.form && !declared.form
  const url = modes.url && !declared.url
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  if (envelope === undefined || (!form && !url)) return
  const said = { ...(declared.form && { form: {} }), ...(capabilities.elicitation as object | undefined) }
  const elicitation = { ...said, ...(form && { form: {} }), ...(url && { url: {} }) }
  envelope[CLIENT_CAPABILITIES_META_KEY] = { ...capabilities, elicitation }
}

/** Refuses, and records, what could not be decided about, shown and run exactly as it came, or by a state that is not ours. */
function readableContext(
  attached: Attached,
  request: AskableRequest,
  ctx: ServerContext,
  progress: { readonly isAnswered: boolean },
): RequestContext | Promise<RequestContext> {
  try {
    checkReadable(attached, request, ctx)
    const made = contextFrom(attached, request, ctx, progress)
    return made instanceof Promise ? made.catch((error: unknown) => refuse(attached, request, ctx, error)) : made
  } catch (error) {
    return refuse(attached, request, ctx, error)
  }
}

async function refuse(
  { settings, server }: Attached,
  request: AskableRequest,
  ctx: ServerContext,
  error: unknown,
): Promise<never> {
  if (request.method === 'tools/call') {
    const { requester } = callerOf(server, ctx, settings.quirks)
    const { name: tool = '', arguments: given } = request.params
    const owner = settings.ownerOf?.(tool) ?? { server: settings.name, tool }
    await recordUndecided(settings.assent, { requester, ...owner, arguments: given }, error)
  }
  throw error instanceof StateRefused ? protocolErrorFrom(error) : error
}

function checkReadable({ tools }: Attached, { params }: AskableRequest, { mcpReq }: ServerContext): void {
  const problem =
    argumentProblem(params.name ?? params.uri, params.name === undefined ? 'uri' : 'name') ??
    argumentProblem(params.arguments, 'arguments') ??
    // The gateway passes `_meta` on as it came. In the library, handlers of others read it.
    (tools === undefined ? undefined : argumentProblem(mcpReq._meta, '_meta'))
  if (problem !== undefined) throw new ProtocolError(codes.invalidParams, `Invalid params: ${problem}`)
}

function contextFrom(
  attached: Attached,
  { method, params }: AskableRequest,
  ctx: ServerContext,
  progress: { readonly isAnswered: boolean },
): RequestContext | Promise<RequestContext> {
  const { settings, server: sdk } = attached
  const caller = callerOf(sdk, ctx, settings.quirks)
  const { requester, revision } = caller
  const server = settings.boundTo ?? settings.name
  const call = { requester, server, method, name: params.name ?? params.uri ?? '', arguments: params.arguments }
  const state = isPerRequest(revision) ? ctx.mcpReq.requestState() : undefined
  const request = { attached, caller, call, progress }
  if (typeof state !== 'string') return assemble(request, ctx, newWalk(), false)
  return openWalk(settings, call, state).then((walk) => {
    // A handler with a state of its own gets that one back, and never sees ours.
    const own = { ...ctx, mcpReq: { ...ctx.mcpReq, requestState: () => walk.handlerState as never } }
    return assemble(request, own, walk, true)
  })
}

interface ReadRequest {
  readonly attached: Attached
  readonly caller: Caller
  readonly call: RequestContext['call']
  readonly progress: { readonly isAnswered: boolean }
}

function assemble(
  { attached: { settings, server, tools, ready, connected }, caller, call, progress }: ReadRequest,
  ctx: ServerContext,
  walk: WalkState,
  isRetry: boolean,
): RequestContext {
  const { requester, groups, revision, declared } = caller
  return {
    ...settings,
    ...caller,
    urlBy: traitOf(caller.ownQuirks, 'urlBy') ?? settings.urlBy,
    ctx,
    call,
    person: { participant: requester.participant, groups },
    capabilities: declared ?? {},
    // Without a session the client declared nothing, and there is no stream to send a request on.
    canPush: !isPerRequest(revision) && declared !== undefined,
    tools,
    responses: responsesIn(ctx),
    isRetry,
    ready,
    attend(id) {
      // The server of a request without a session is closed with it, and says nothing about its client.
      if (ctx.sessionId !== undefined || ctx.http === undefined) settings.assent.attend(id, connected())
    },
    complete: (id) => (progress.isAnswered ? completeOnSession(server, id) : complete(ctx, id)),
    completeLater: (id) => completeLater(settings, server, id),
    lacks: [],
    started: [],
    walk,
  }
}

/** Listens to the server's end from the first question on. */
function connectedTo(server: Server): () => AbortSignal {
  let ending: AbortController | undefined
  return () => {
    if (ending !== undefined) return ending.signal
    const made = new AbortController()
    ending = made
    const before = server.onclose
    server.onclose = () => {
      before?.()
      made.abort()
    }
    return made.signal
  }
}

const noResponses: RequestContext['responses'] = new Map()

/** Most requests bring none, and thousands of them may wait: they share one empty map. */
function responsesIn({ mcpReq: { inputResponses } }: ServerContext): RequestContext['responses'] {
  return inputResponses === undefined ? noResponses : new Map(Object.entries(inputResponses))
}

function lacking(named: readonly string[]): ProtocolError {
  const modes = new Set(named)
  const elicitation = Object.fromEntries([...modes].map((mode) => [mode, {}]))
  const message = `This needs a client that supports elicitation by ${[...modes].join(' and ')}`
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { elicitation } }, message)
}

const completeMethod = 'notifications/elicitation/complete'

async function complete({ mcpReq }: ServerContext, elicitationId: ElicitationId): Promise<void> {
  // The client may have disconnected; its next call finds the answer anyway.
  await mcpReq.notify({ method: completeMethod, params: { elicitationId } }).catch(() => {})
}

/** The stream of an answered request is closed, so this goes out on the stream of the client's session, if it has one. */
async function completeOnSession(server: ClientConnection, elicitationId: ElicitationId): Promise<void> {
  if (server.getClientCapabilities() === undefined) return
  await server.notification({ method: completeMethod, params: { elicitationId } }).catch(() => {})
}

function completeLater(
  { assent, clocks }: AskingSettings,
  server: ClientConnection,
  elicitationId: ElicitationId,
): void {
  if (server.getClientCapabilities() === undefined) return
  assent
    .wait(elicitationId, { timeoutMs: clocks.question })
    .then(({ state }) => (state.kind === 'open' ? undefined : completeOnSession(server, elicitationId)))
    .catch(() => {})
}

/** Resolves when a 2025 client says that it is initialized. It is not asked before that (V11-02). */
function readiness(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.setNotificationHandler('notifications/initialized', () => {
      resolve()
      server.oninitialized?.()
    })
  })
}
