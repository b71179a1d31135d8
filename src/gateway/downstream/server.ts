import { McpServer, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { attach } from '../../asking/attach.ts'
import { type AskingSettings, contextOf } from '../../asking/context.ts'
import { knownClient } from '../../asking/known-client.ts'
import { runOther, runTool } from '../../asking/run-handler.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { requesterOf } from '../../mcp/http/requester.ts'
import { modesOf } from '../../mcp/modes.ts'
import { type AskRefused, refusalCode } from '../../mcp/refusal.ts'
import { isPerRequest, revisionOf } from '../../mcp/revision.ts'
import { callTool } from '../call/call-tool.ts'
import { type ListKind, listMethods } from '../catalog/catalog.ts'
import { listAll } from '../catalog/list.ts'
import { routeNamed, routeResource, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import { accountFor, forwardWith, inNameOf, resultIn } from '../forward/forward.ts'
import { lostCall, unreachable } from '../forward/lost.ts'
import { upstreamError } from '../forward/upstream-error.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient, Lost } from '../upstream/upstream.ts'
import { downstreamClient } from './client.ts'
import { sessionOf } from './client-session.ts'

type Request = { readonly params?: JsonObject }
type Handler = (request: Request, ctx: ServerContext) => Promise<unknown>

/** A server towards one client. */
export interface GatewayServer {
  readonly mcp: McpServer
  /** The client of a 2025 session is gone, and with it what upstreams keep for it. */
  left(): void
}

/** Makes a server whose every handler forwards to the upstreams of its scope. */
export function gatewayServer(
  gateway: GatewayContext,
  asking: AskingSettings,
  scope: Scope,
  capabilities: JsonObject,
  info: { readonly name: string; readonly version: string },
  instructions: string | undefined,
  /** Left out: the client is gone when its request is answered. */
  tell?: (server: string, method: string, params: JsonObject) => void,
): GatewayServer {
  const mcp = new McpServer(info, {
    capabilities: capabilities as never,
    ...(instructions !== undefined && { instructions }),
  })
  attach(asking, mcp)
  const on = (method: string, handler: Handler) => mcp.server.setRequestHandler(method as never, handler as never)
  const session = sessionOf(gateway, scope, tell)
  const client = (ctx: ServerContext) => session.seen(clientIn(gateway, mcp.server, ctx), ctx.sessionId)

  for (const [kind, method] of Object.entries(listMethods) as [ListKind, string][]) {
    if (capabilities[kind === 'resourceTemplates' ? 'resources' : kind] === undefined) continue
    on(method, ({ params }, ctx) => listAll(gateway, scope, kind, client(ctx), params?.cursor, ctx.mcpReq.signal))
  }
  if (capabilities.tools !== undefined) {
    on('tools/call', async ({ params }, ctx) => {
      const context = contextOf(ctx)
      const found = await routeNamed(gateway, scope, 'tools', String(params?.name), client(ctx), ctx.mcpReq.signal)
      if (found === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${String(params?.name)}`)
      return runTool(context, (_, round) => callTool(gateway, context, round, found.server, found.name))
    })
  }
  if (capabilities.prompts !== undefined) {
    on('prompts/get', async ({ params = {} }, ctx) => {
      const found = await routeNamed(gateway, scope, 'prompts', String(params.name), client(ctx), ctx.mcpReq.signal)
      if (found === undefined) throw new ProtocolError(-32_602, `Unknown prompt: ${String(params.name)}`)
      return forwardAsked(gateway, ctx, found.server, 'prompts/get', { ...params, name: found.name })
    })
  }
  if (capabilities.resources !== undefined) {
    on('resources/read', async ({ params = {} }, ctx) => {
      const uri = String(params.uri)
      const server = await routeResource(gateway, scope, uri, client(ctx), ctx.mcpReq.signal)
      if (server === undefined) throw resourceNotFound(mcp.server, uri)
      return forwardAsked(gateway, ctx, server, 'resources/read', params)
    })
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      if (isPerRequest(revisionOf(mcp.server.getNegotiatedProtocolVersion()))) continue
      on(method, async ({ params = {} }, ctx) => {
        const server = await routeResource(gateway, scope, String(params.uri), client(ctx), ctx.mcpReq.signal)
        if (server === undefined) throw resourceNotFound(mcp.server, String(params.uri))
        const isWatched = await session.subscribes(server, method, String(params.uri), ctx)
        return isWatched ? {} : plain(gateway, server, method, params, client(ctx), ctx)
      })
    }
  }
  if (capabilities.completions !== undefined) {
    on('completion/complete', async ({ params = {} }, ctx) => {
      const { server, params: theirs } = await completing(gateway, scope, params, client(ctx), ctx)
      return plain(gateway, server, 'completion/complete', theirs, client(ctx), ctx)
    })
  }
  if (capabilities.logging !== undefined) {
    on('logging/setLevel', async ({ params = {} }, ctx) => {
      client(ctx)
      gateway.levels.set(ctx.sessionId, String(params.level))
      const told = scope.servers.map((server) => plain(gateway, server, 'logging/setLevel', params, client(ctx), ctx))
      await Promise.allSettled(told)
      return {}
    })
  }
  mcp.server.setNotificationHandler('notifications/roots/list_changed', () =>
    session.notify('notifications/roots/list_changed'),
  )
  return { mcp, left: session.leave }
}

/** For whom a request is made, as far as its client says. */
function clientIn(gateway: GatewayContext, server: Server, ctx: ServerContext): DownstreamClient {
  const { participant, client, agents } = requesterOf(ctx)
  const known = knownClient(server, ctx)
  const revision = revisionOf(server.getNegotiatedProtocolVersion())
  const requester = {
    participant,
    client,
    ...(agents && { agents }),
    ...(known.info && { clientName: known.info.name }),
  }
  gateway.negotiations.client(known, server.getNegotiatedProtocolVersion())
  const modes = modesOf(known.capabilities?.elicitation, revision, known.info, [])
  const { elicitation } = gateway.settings
  return downstreamClient(
    { requester, sessionId: ctx.sessionId, capabilities: known.capabilities ?? {}, modes },
    { asks: elicitation, inbox: gateway.inbox() },
  )
}

/** A prompt or a resource: no policy is asked, but its upstream may ask, and need an account. */
function forwardAsked(
  gateway: GatewayContext,
  ctx: ServerContext,
  server: UpstreamServer,
  method: string,
  params: JsonObject,
): Promise<unknown> {
  const context = inNameOf(contextOf(ctx), server)
  return runOther(context, async (ask, round) => {
    const account = await accountFor(server, ask)
    const forwarding = { gateway, server, context, round, method, params: withoutRetry(params) }
    return resultIn(server, await forwardWith(forwarding, ask, account), context)
  })
}

/** What belongs to the client's own round with us is not the upstream's. */
function withoutRetry({ inputResponses: _, requestState: __, _meta: ___, ...params }: JsonObject): JsonObject {
  return params
}

/** A request that asks nobody anything. */
async function plain(
  gateway: GatewayContext,
  server: UpstreamServer,
  method: string,
  params: JsonObject,
  client: DownstreamClient,
  ctx: ServerContext,
): Promise<JsonObject> {
  const mine = (await gateway.withAccount(server, client)) ?? client
  const reply = await server.upstream.request({ ...mine, method, params, signal: ctx.mcpReq.signal })
  switch (reply.kind) {
    case 'result':
      // Here nothing may be asked (M26-02): the client would take it for a round of ours.
      if (reply.result.resultType === 'input_required') throw lostPlain(server, notARound)
      return reply.result
    case 'error':
      throw plainError(upstreamError(server.id, reply))
    case 'unauthorized':
      throw unreachable(server, reply)
    case 'lost':
      throw lostPlain(server, reply)
  }
}

const notARound: Lost = { kind: 'lost', reason: 'malformed', sent: true, detail: 'a question where none may be asked' }

function lostPlain({ id }: UpstreamServer, reply: Lost): ProtocolError {
  return new ProtocolError(refusalCode, lostCall(id, reply).message, { status: 'failed', reason: reply.reason })
}

function plainError(error: AskRefused | ProtocolError): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(refusalCode, error.message, { status: error.status, reason: error.reason })
}

async function completing(
  gateway: GatewayContext,
  scope: Scope,
  params: JsonObject,
  client: DownstreamClient,
  ctx: ServerContext,
): Promise<{ server: UpstreamServer; params: JsonObject }> {
  const ref = isPlainObject(params.ref) ? (params.ref as JsonObject) : {}
  if (ref.type === 'ref/prompt') {
    const found = await routeNamed(gateway, scope, 'prompts', String(ref.name), client, ctx.mcpReq.signal)
    if (found) return { server: found.server, params: { ...params, ref: { ...ref, name: found.name } } }
  } else if (typeof ref.uri === 'string') {
    const server = await routeResource(gateway, scope, ref.uri, client, ctx.mcpReq.signal)
    if (server) return { server, params }
  }
  throw new ProtocolError(-32_602, 'Nothing is known by this reference')
}

function resourceNotFound(server: Server, uri: string): ProtocolError {
  const code = isPerRequest(revisionOf(server.getNegotiatedProtocolVersion())) ? -32_602 : -32_002
  return new ProtocolError(code, 'Resource not found', { uri })
}
