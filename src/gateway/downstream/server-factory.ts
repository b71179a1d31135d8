import type { AuthInfo, McpServer } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { perRequestCaller } from '../../mcp/caller.ts'
import type { ServerFactory } from '../../mcp/http/session/served-session.ts'
import { sessionKeyOf } from '../../mcp/http/session/sharing.ts'
import type { TakeCaptured } from '../call/call-tool.ts'
import { routeNamed, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamEra } from '../upstream/upstream.ts'
import { decodeHeaderValue } from '../upstream/wire/header-values.ts'
import { downstreamClient } from './client.ts'
import type { ClientRegistry } from './client-registry.ts'
import type { FindEras } from './eras.ts'
import type { gatewayServer } from './server.ts'

interface FactoryParts {
  readonly scope: Scope
  readonly registry: ClientRegistry
  readonly erasOf: FindEras
  readonly takeCaptured: TakeCaptured
  readonly makeServer: typeof gatewayServer
}

/** Clients that probe over a pipe wait for a few seconds only, and then take it for a server of 2025. */
const probePatienceMs = 500

/** Makes the SDK servers towards clients: one for each 2025 session, each 2026 request, or each pipe. */
export function serverFactory(gateway: GatewayContext, parts: FactoryParts): ServerFactory {
  const { scope, registry, erasOf, takeCaptured, makeServer } = parts
  return async ({ session, era, requestInfo, authInfo }) => {
    const isProbe = era === 'modern' && requestInfo === undefined
    const eras = await erasOf(scope.servers, isProbe ? probePatienceMs : undefined)
    const sessionKey = session && sessionKeyOf(session.id)
    // A 2026 client over HTTP is gone when its request is answered. Any other stays, and hears of changes.
    const staysConnected = era === 'legacy' || requestInfo === undefined
    const tell = (server: string, method: string, params: JsonObject) => {
      gateway.catalog.forget(server)
      const told = () => registry.tell(server, sessionKey, method, params)
      // Other instances forget their lists first: the client will ask any of them.
      inBackground(gateway.notices.share({ upstream: server, method, params }, true).then(told))
    }
    const instructions = scope.joined ? undefined : eras[0]?.instructions
    const { mcp, left } = makeServer(gateway, scope, {
      capabilities: capabilitiesOf(eras),
      takeCaptured,
      ...(instructions !== undefined && { instructions }),
      ...(staysConnected && { tell }),
      ...(session && { levelChanged: session.levelChanged }),
    })
    if (era === 'modern') await teachSchema(gateway, scope, mcp, { request: requestInfo, authInfo })
    if (staysConnected) {
      const closed = session?.closed ?? closing(mcp)
      const servers = scope.servers.map(({ id }) => id)
      registry.add({ mcp, servers, sessionKey, getsEverything: era === 'legacy' }, closed)
      closed.addEventListener('abort', left, { once: true })
    }
    return mcp
  }
}

/** What the upstreams can do together. One that has not said yet may have everything. */
function capabilitiesOf(eras: readonly (UpstreamEra | undefined)[]): JsonObject {
  const has = (name: string) => eras.some((era) => era === undefined || era.capabilities[name] !== undefined)
  return {
    tools: { listChanged: true },
    ...(has('prompts') && { prompts: { listChanged: true } }),
    ...(has('resources') && { resources: { listChanged: true, subscribe: true } }),
    ...(has('completions') && { completions: {} }),
    ...(has('logging') && { logging: {} }),
  }
}

/** Aborted when the SDK server of a pipe is closed. */
function closing({ server }: McpServer): AbortSignal {
  const ending = new AbortController()
  const before = server.onclose
  server.onclose = () => {
    before?.()
    ending.abort()
  }
  return ending.signal
}

interface Called {
  readonly request: Request | undefined
  readonly authInfo: AuthInfo | undefined
}

/** The SDK compares `Mcp-Param-*` headers with the body before it opens a stream (H26-06), if it knows the tool's schema. */
async function teachSchema(gateway: GatewayContext, scope: Scope, mcp: McpServer, called: Called): Promise<void> {
  const schema = await calledSchema(gateway, scope, called)
  if (schema !== undefined) Object.assign(mcp, { toolInputSchemaJson: () => schema })
}

/** The input schema of the tool that a 2026 request calls, as far as its headers tell. */
async function calledSchema(
  gateway: GatewayContext,
  scope: Scope,
  { request, authInfo }: Called,
): Promise<JsonObject | undefined> {
  const name = decodeHeaderValue(request?.headers.get('mcp-name') ?? '')
  if (request === undefined || name === undefined || request.headers.get('mcp-method') !== 'tools/call')
    return undefined
  const caller = perRequestCaller({}, authInfo, gateway.asking.quirks)
  const client = downstreamClient(caller, { asks: false, inbox: false })
  const { signal } = request
  const route = await routeNamed(gateway, scope, 'tools', name, { client, signal })
  const mine = route && (await gateway.withAccount(route.server, client))
  if (route === undefined || mine === undefined) return undefined
  const era = await route.server.upstream.era(mine, signal)
  // Only tools of 2026-07-28 want their arguments repeated in headers.
  if (era.kind !== 'found' || !era.era.perRequest) return undefined
  const tool = await gateway.catalog.tool(route.server, route.name, mine, signal)
  return tool !== undefined && 'item' in tool && isPlainObject(tool.item.inputSchema)
    ? (tool.item.inputSchema as JsonObject)
    : undefined
}
