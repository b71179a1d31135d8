import { McpServer, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { attach } from '../../asking/attach.ts'
import { type AskingSettings, visitOf } from '../../asking/context.ts'
import { knownClient } from '../../asking/known-client.ts'
import { conductOther, conductTool } from '../../asking/run-handler.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { requesterOf } from '../../mcp/http/requester.ts'
import { modesOf } from '../../mcp/modes.ts'
import { type AskRefused, refusalCode } from '../../mcp/refusal.ts'
import { isPerRequest, revisionOf } from '../../mcp/revision.ts'
import { callTool } from '../call/call-tool.ts'
import { type ListKind, listMethods } from '../catalog/catalog.ts'
import { listAll } from '../catalog/list.ts'
import { findNamed, findResource, type Scope } from '../catalog/route.ts'
import type { Ways } from '../context.ts'
import { accountFor, forwardWith, inNameOf, resultIn } from '../forward/forward.ts'
import { lostCall, unreachable } from '../forward/lost.ts'
import { upstreamError } from '../forward/upstream-error.ts'
import type { Behind } from '../options.ts'
import type { Lost, Visitor } from '../upstream/upstream.ts'
import { visitorFor } from './client.ts'
import { sessionOf } from './client-session.ts'

type Request = { readonly params?: JsonObject }
type Handler = (request: Request, ctx: ServerContext) => Promise<unknown>

/** A server towards one client. */
export interface GatewayServer {
  readonly mcp: McpServer
  /** The client of a 2025 session is gone, and with it what upstreams keep for it. */
  leave(): void
}

/** Makes a server whose every handler forwards to the upstreams of its scope. */
export function gatewayServer(
  ways: Ways,
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
  const session = sessionOf(ways, scope, tell)
  const visitor = (ctx: ServerContext) => session.seen(visitorIn(ways, mcp.server, ctx), ctx.sessionId)

  for (const [kind, method] of Object.entries(listMethods) as [ListKind, string][]) {
    if (capabilities[kind === 'resourceTemplates' ? 'resources' : kind] === undefined) continue
    on(method, ({ params }, ctx) => listAll(ways, scope, kind, visitor(ctx), params?.cursor, ctx.mcpReq.signal))
  }
  if (capabilities.tools !== undefined) {
    on('tools/call', async ({ params }, ctx) => {
      const visit = visitOf(ctx)
      const found = await findNamed(ways, scope, 'tools', String(params?.name), visitor(ctx), ctx.mcpReq.signal)
      if (found === undefined) throw new ProtocolError(-32_602, `Unknown tool: ${String(params?.name)}`)
      return conductTool(visit, (_, round) => callTool(ways, visit, round, found.behind, found.name))
    })
  }
  if (capabilities.prompts !== undefined) {
    on('prompts/get', async ({ params = {} }, ctx) => {
      const found = await findNamed(ways, scope, 'prompts', String(params.name), visitor(ctx), ctx.mcpReq.signal)
      if (found === undefined) throw new ProtocolError(-32_602, `Unknown prompt: ${String(params.name)}`)
      return forwardAsked(ways, ctx, found.behind, 'prompts/get', { ...params, name: found.name })
    })
  }
  if (capabilities.resources !== undefined) {
    on('resources/read', async ({ params = {} }, ctx) => {
      const uri = String(params.uri)
      const behind = await findResource(ways, scope, uri, visitor(ctx), ctx.mcpReq.signal)
      if (behind === undefined) throw resourceNotFound(mcp.server, uri)
      return forwardAsked(ways, ctx, behind, 'resources/read', params)
    })
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      if (isPerRequest(revisionOf(mcp.server.getNegotiatedProtocolVersion()))) continue
      on(method, async ({ params = {} }, ctx) => {
        const behind = await findResource(ways, scope, String(params.uri), visitor(ctx), ctx.mcpReq.signal)
        if (behind === undefined) throw resourceNotFound(mcp.server, String(params.uri))
        const isWatched = await session.subscribes(behind, method, String(params.uri), ctx)
        return isWatched ? {} : plain(ways, behind, method, params, visitor(ctx), ctx)
      })
    }
  }
  if (capabilities.completions !== undefined) {
    on('completion/complete', async ({ params = {} }, ctx) => {
      const { behind, params: theirs } = await completing(ways, scope, params, visitor(ctx), ctx)
      return plain(ways, behind, 'completion/complete', theirs, visitor(ctx), ctx)
    })
  }
  if (capabilities.logging !== undefined) {
    on('logging/setLevel', async ({ params = {} }, ctx) => {
      visitor(ctx)
      ways.levels.set(ctx.sessionId, String(params.level))
      const told = scope.behind.map((behind) => plain(ways, behind, 'logging/setLevel', params, visitor(ctx), ctx))
      await Promise.allSettled(told)
      return {}
    })
  }
  mcp.server.setNotificationHandler('notifications/roots/list_changed', () =>
    session.notify('notifications/roots/list_changed'),
  )
  return { mcp, leave: session.leave }
}

/** For whom a request is made, as far as its client says. */
function visitorIn(ways: Ways, server: Server, ctx: ServerContext): Visitor {
  const { participant, client, agents } = requesterOf(ctx)
  const known = knownClient(server, ctx)
  const revision = revisionOf(server.getNegotiatedProtocolVersion())
  const requester = {
    participant,
    client,
    ...(agents && { agents }),
    ...(known.info && { clientName: known.info.name }),
  }
  ways.negotiations.client(known, server.getNegotiatedProtocolVersion())
  const modes = modesOf(known.capabilities?.elicitation, revision, known.info, [])
  const { elicitation } = ways.settings
  return visitorFor(
    { requester, sessionId: ctx.sessionId, capabilities: known.capabilities ?? {}, modes },
    { asks: elicitation, inbox: ways.inbox() },
  )
}

/** A prompt or a resource: no policy is asked, but its upstream may ask, and need an account. */
function forwardAsked(
  ways: Ways,
  ctx: ServerContext,
  behind: Behind,
  method: string,
  params: JsonObject,
): Promise<unknown> {
  const visit = inNameOf(visitOf(ctx), behind)
  return conductOther(visit, async (ask, round) => {
    const account = await accountFor(behind, ask)
    const forwarding = { ways, behind, visit, round, method, params: withoutRetry(params) }
    return resultIn(behind, await forwardWith(forwarding, ask, account), visit)
  })
}

/** What belongs to the client's own round with us is not the upstream's. */
function withoutRetry({ inputResponses: _, requestState: __, _meta: ___, ...params }: JsonObject): JsonObject {
  return params
}

/** A request that asks nobody anything. */
async function plain(
  ways: Ways,
  behind: Behind,
  method: string,
  params: JsonObject,
  visitor: Visitor,
  ctx: ServerContext,
): Promise<JsonObject> {
  const mine = (await ways.visitorOf(behind, visitor)) ?? visitor
  const reply = await behind.upstream.request({ ...mine, method, params, signal: ctx.mcpReq.signal })
  switch (reply.kind) {
    case 'result':
      // Here nothing may be asked (M26-02): the client would take it for a round of ours.
      if (reply.result.resultType === 'input_required') throw lostPlain(behind, notARound)
      return reply.result
    case 'error':
      throw plainError(upstreamError(behind.id, reply))
    case 'unauthorized':
      throw unreachable(behind, reply)
    case 'lost':
      throw lostPlain(behind, reply)
  }
}

const notARound: Lost = { kind: 'lost', reason: 'rubbish', sent: true, detail: 'a question where none may be asked' }

function lostPlain({ id }: Behind, reply: Lost): ProtocolError {
  return new ProtocolError(refusalCode, lostCall(id, reply).message, { status: 'failed', reason: reply.reason })
}

function plainError(error: AskRefused | ProtocolError): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(refusalCode, error.message, { status: error.status, reason: error.reason })
}

async function completing(
  ways: Ways,
  scope: Scope,
  params: JsonObject,
  visitor: Visitor,
  ctx: ServerContext,
): Promise<{ behind: Behind; params: JsonObject }> {
  const ref = isPlainObject(params.ref) ? (params.ref as JsonObject) : {}
  if (ref.type === 'ref/prompt') {
    const found = await findNamed(ways, scope, 'prompts', String(ref.name), visitor, ctx.mcpReq.signal)
    if (found) return { behind: found.behind, params: { ...params, ref: { ...ref, name: found.name } } }
  } else if (typeof ref.uri === 'string') {
    const behind = await findResource(ways, scope, ref.uri, visitor, ctx.mcpReq.signal)
    if (behind) return { behind, params }
  }
  throw new ProtocolError(-32_602, 'Nothing is known by this reference')
}

function resourceNotFound(server: Server, uri: string): ProtocolError {
  const code = isPerRequest(revisionOf(server.getNegotiatedProtocolVersion())) ? -32_602 : -32_002
  return new ProtocolError(code, 'Resource not found', { uri })
}
