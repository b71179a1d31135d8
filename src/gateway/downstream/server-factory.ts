import type { AuthInfo, McpServer } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { perRequestCaller } from '../../mcp/caller.ts'
import type { ServedSession, ServerFactory } from '../../mcp/http/session/served-session.ts'
import { sessionKeyOf } from '../../mcp/http/session/sharing.ts'
import type { TakeCaptured } from '../call/call-tool.ts'
import { routeNamed, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamEra } from '../upstream/upstream.ts'
import { decodeHeaderValue } from '../upstream/wire/header-values.ts'
import { downstreamClient } from './client.ts'
import type { ClientRegistry } from './client-registry.ts'
import { type ClientSession, clientSession } from './client-session.ts'
import type { FindEras } from './eras.ts'
import type { gatewayServer } from './server.ts'

/** What stays the same for all servers of one session. */
interface Kept {
  readonly client: ClientSession
  readonly capabilities: JsonObject
}

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
  const sessions = new WeakMap<ServedSession, Kept>()
  const sharedCapabilities = shareCapabilities()
  const serverFor = (kept: Kept, session: ServedSession | undefined, instructions?: string) =>
    makeServer(gateway, scope, {
      capabilities: kept.capabilities,
      takeCaptured,
      session: kept.client,
      ...(instructions !== undefined && { instructions }),
      ...(session && { levelChanged: session.levelChanged, closed: session.closed }),
    })

  return async ({ session, era, requestInfo, authInfo }) => {
    const known = session && sessions.get(session)
    // It takes the place of another one, and must be able to do what that one said.
    if (known !== undefined) return serverFor(known, session)

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
    const client = clientSession(gateway, scope, staysConnected ? tell : undefined)
    const kept = { client, capabilities: sharedCapabilities(eras) }
    const mcp = serverFor(kept, session, scope.joined ? undefined : eras[0]?.instructions)
    if (era === 'modern') await teachSchema(gateway, scope, mcp, { request: requestInfo, authInfo })
    if (!staysConnected) return mcp
    if (session !== undefined) sessions.set(session, kept)
    const closed = session?.closed ?? closing(mcp)
    const notify = session?.notify ?? notifyBy(mcp)
    const servers = scope.servers.map(({ id }) => id)
    registry.add({ notify, servers, sessionKey, getsEverything: era === 'legacy' }, closed)
    closed.addEventListener('abort', client.left, { once: true })
    return mcp
  }
}

/** What the upstreams can do together. Thousands of sessions share the few objects that say it. */
function shareCapabilities(): (eras: readonly (UpstreamEra | undefined)[]) => JsonObject {
  const shared = new Map<string, JsonObject>()
  return (eras) => {
    const made = capabilitiesOf(eras)
    const key = Object.keys(made).join()
    const known = shared.get(key) ?? made
    shared.set(key, known)
    return known
  }
}

/** An upstream that has not said yet what it can do may have everything. */
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

/** Fails for a client that disconnected, which needs no notification. */
function notifyBy({ server }: McpServer) {
  return (method: string, params: JsonObject) => void server.notification({ method, params } as never).catch(() => {})
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
