import { McpServer, ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { attach } from '../../asking/attach.ts'
import { contextOf } from '../../asking/context.ts'
import { runOther, runTool } from '../../asking/run-handler.ts'
import type { JsonObject } from '../../base/json.ts'
import { callerOf } from '../../mcp/caller.ts'
import { codes } from '../../mcp/codes.ts'
import { isPerRequest, revisionOf } from '../../mcp/revision.ts'
import { callTool, refusedUndecided, type TakeCaptured } from '../call/call-tool.ts'
import { type ListKind, listMethods } from '../catalog/fetch-list.ts'
import { listAll } from '../catalog/list.ts'
import { askingAt, ownerOfTool, routeNamed, routeReference, routeResource, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import { accountFor, forwardWith, inNameOf, resultIn } from '../forward/forward.ts'
import { forwardPlain } from '../forward/forward-plain.ts'
import type { UpstreamServer } from '../options.ts'
import { downstreamClient } from './client.ts'
import type { ClientSession } from './client-session.ts'
import { isLogLevel } from './log-levels.ts'

type Request = { readonly params?: JsonObject }
type Handler = (request: Request, ctx: ServerContext) => Promise<unknown>

interface ServerParts {
  readonly capabilities: JsonObject
  readonly instructions?: string
  readonly takeCaptured: TakeCaptured
  /** Lets other instances know which log level the client asked for. */
  readonly levelChanged?: (level: string) => Promise<void>
  /** What is kept for the client, by this server and those that take its place. */
  readonly session: ClientSession
  /** Aborted when the session ends, which may have several servers. Left out: with the connection of this one. */
  readonly closed?: AbortSignal
}

/** Makes an SDK server whose handlers forward to the upstreams of its scope. */
export function gatewayServer(gateway: GatewayContext, scope: Scope, parts: ServerParts): McpServer {
  const { capabilities, instructions, takeCaptured, session, closed, levelChanged } = parts
  const mcp = new McpServer(gateway.self, {
    capabilities: capabilities as never,
    ...(instructions !== undefined && { instructions }),
  })
  attach(askingAt(gateway, scope), mcp, undefined, closed)
  const { server: sdk } = mcp
  /** The client of a request, and the signal that ends it. */
  const from = (ctx: ServerContext) => {
    const caller = callerOf(sdk, ctx, gateway.asking.quirks)
    gateway.negotiations.client(caller)
    const client = session.seen(downstreamClient(caller, gateway.asks()), ctx.sessionId)
    return { client, signal: ctx.mcpReq.signal }
  }
  const on = (method: string, handler: Handler) => sdk.setRequestHandler(method as never, handler as never)

  for (const [kind, method] of Object.entries(listMethods) as [ListKind, string][]) {
    if (capabilities[kind === 'resourceTemplates' ? 'resources' : kind] === undefined) continue
    on(method, ({ params }, ctx) => listAll(gateway, scope, kind, params?.cursor, from(ctx)))
  }
  if (capabilities.tools !== undefined) {
    on('tools/call', async ({ params }, ctx) => {
      const name = String(params?.name)
      const context = contextOf(ctx)
      const route = await routeNamed(gateway, scope, 'tools', name, from(ctx))
      if (route === undefined) {
        const unknown = new ProtocolError(codes.invalidParams, `Unknown tool: ${name}`)
        await refusedUndecided(context, ownerOfTool(scope, name), unknown)
        throw unknown
      }
      return runTool(context, (_, round) => callTool(gateway, context, round, route, takeCaptured))
    })
  }
  if (capabilities.prompts !== undefined) {
    on('prompts/get', async ({ params = {} }, ctx) => {
      const route = await routeNamed(gateway, scope, 'prompts', String(params.name), from(ctx))
      if (route === undefined) throw new ProtocolError(codes.invalidParams, `Unknown prompt: ${String(params.name)}`)
      return forwardAsking(gateway, ctx, route.server, 'prompts/get', { ...params, name: route.name })
    })
  }
  if (capabilities.resources !== undefined) {
    on('resources/read', async ({ params = {} }, ctx) => {
      const server = await ownerOf(String(params.uri), ctx)
      return forwardAsking(gateway, ctx, server, 'resources/read', params)
    })
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      if (isPerRequest(revisionOf(sdk.getNegotiatedProtocolVersion()))) continue
      on(method, async ({ params = {} }, ctx) => {
        const server = await ownerOf(String(params.uri), ctx)
        const isSubscribed = await session.subscribes(server, method, String(params.uri), ctx)
        return isSubscribed ? {} : forwardPlain(gateway, server, method, params, from(ctx))
      })
    }
  }
  if (capabilities.completions !== undefined) {
    on('completion/complete', async ({ params = {} }, ctx) => {
      const found = await routeReference(gateway, scope, params, from(ctx))
      if (found === undefined)
        throw new ProtocolError(codes.invalidParams, 'The reference names nothing that is known.')
      return forwardPlain(gateway, found.server, 'completion/complete', found.params, from(ctx))
    })
  }
  if (capabilities.logging !== undefined) {
    on('logging/setLevel', async ({ params = {} }, ctx) => {
      if (!isLogLevel(params.level)) throw new ProtocolError(codes.invalidParams, 'There is no such log level.')
      gateway.levels.set(ctx.sessionId, String(params.level))
      await levelChanged?.(String(params.level))
      const sender = from(ctx)
      await Promise.allSettled(
        scope.servers.map((server) => forwardPlain(gateway, server, 'logging/setLevel', params, sender)),
      )
      return {}
    })
  }
  sdk.setNotificationHandler('notifications/roots/list_changed', () =>
    session.notify('notifications/roots/list_changed'),
  )

  async function ownerOf(uri: string, ctx: ServerContext): Promise<UpstreamServer> {
    const server = await routeResource(gateway, scope, uri, from(ctx))
    if (server === undefined) throw resourceNotFound(sdk, uri)
    return server
  }

  return mcp
}

/** A prompt or a resource: policy does not apply, but the upstream may ask, and may need an account. */
function forwardAsking(
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

/** What belongs to the client's round with the gateway is not for the upstream. */
function withoutRetry({ inputResponses: _, requestState: __, _meta: ___, ...params }: JsonObject): JsonObject {
  return params
}

function resourceNotFound(sdk: Server, uri: string): ProtocolError {
  const perRequest = isPerRequest(revisionOf(sdk.getNegotiatedProtocolVersion()))
  return new ProtocolError(perRequest ? codes.invalidParams : codes.resourceNotFound, 'Resource not found', { uri })
}
