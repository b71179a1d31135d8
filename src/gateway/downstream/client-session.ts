import { ProtocolError, type ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { codes } from '../../mcp/codes.ts'
import type { Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { Filter } from './subscriptions.ts'

/** What the gateway keeps for one client while it stays connected. For a 2026 client over HTTP it keeps nothing. */
export interface ClientSession {
  /** To be called with each request of the client. The first one subscribes to changes for it. */
  seen(client: DownstreamClient, sessionId: string | undefined): DownstreamClient
  /** Subscribes to a resource of a 2026 upstream, or ends that. False: it is a 2025 upstream, which takes the request itself. */
  subscribes(server: UpstreamServer, method: string, uri: string, ctx: ServerContext): Promise<boolean>
  notify(method: string): void
  left(): void
}

const lists: Filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

export function clientSession(
  gateway: GatewayContext,
  { servers: all }: Scope,
  /** Left out: the client does not stay connected. */
  tell?: (server: string, method: string, params: JsonObject) => void,
): ClientSession {
  const subscriptions = new Map<string, ReturnType<GatewayContext['subscriptions']['start']>>()
  const uris = new Map<string, Set<string>>()
  let client: DownstreamClient | undefined
  let session: string | undefined
  let stopWatchingAccounts = () => {}

  async function isPerRequest(server: UpstreamServer, signal: AbortSignal): Promise<boolean> {
    const mine = client && (await gateway.withAccount(server, client))
    const found = mine && (await server.upstream.era(mine, signal))
    return found?.kind === 'found' && found.era.perRequest
  }

  /** A 2025 upstream sends changes on its session. Changes of a 2026 upstream have to be subscribed to. */
  async function subscribe(server: UpstreamServer, seen: DownstreamClient): Promise<void> {
    if (subscriptions.has(server.id) || !(await isPerRequest(server, AbortSignal.timeout(60_000)))) return
    if (client === undefined || subscriptions.has(server.id)) return
    const told = (method: string, params: JsonObject) => tell?.(server.id, method, params)
    subscriptions.set(server.id, gateway.subscriptions.start({ server, client: seen, tell: told }, lists))
  }

  /** With another account, or none, an upstream lists other things. */
  function accountChanged(provider: string, seen: DownstreamClient): void {
    for (const server of all.filter((one) => one.provider === provider)) {
      subscriptions.get(server.id)?.stop()
      subscriptions.delete(server.id)
      for (const kind of ['tools', 'prompts', 'resources']) tell?.(server.id, `notifications/${kind}/list_changed`, {})
      inBackground(subscribe(server, seen))
    }
  }

  return {
    seen(next, sessionId) {
      if (tell === undefined || client !== undefined) return next
      client = next
      session = sessionId
      stopWatchingAccounts = gateway.accountWatch.watch(next.requester.participant, (provider) =>
        accountChanged(provider, next),
      )
      for (const server of all) inBackground(subscribe(server, next))
      return next
    },
    async subscribes(server, method, uri, ctx) {
      if (!(await isPerRequest(server, ctx.mcpReq.signal)) || client === undefined) return false
      await subscribe(server, client)
      const wanted = uris.get(server.id) ?? new Set()
      uris.set(server.id, wanted)
      if (method === 'resources/subscribe') {
        const most = gateway.settings.limits.subscriptions
        if (wanted.size >= most && !wanted.has(uri)) {
          throw new ProtocolError(codes.invalidParams, `A client may subscribe to ${most} resources of one server.`)
        }
        wanted.add(uri)
      } else wanted.delete(uri)
      subscriptions.get(server.id)?.want({ ...lists, ...(wanted.size > 0 && { resourceSubscriptions: [...wanted] }) })
      return true
    },
    notify(method) {
      if (client === undefined) return
      for (const { upstream } of all) inBackground(upstream.notify(client, method, {}))
    },
    left() {
      stopWatchingAccounts()
      for (const subscription of subscriptions.values()) subscription.stop()
      if (client !== undefined) for (const { upstream } of all) upstream.release(client)
      gateway.levels.forget(session)
      client = undefined
    },
  }
}
