import type { ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'
import type { Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { UpstreamServer } from '../options.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import type { Filter } from './subscriptions.ts'

/** What the gateway remembers of one client while it is connected. Of a 2026 client over HTTP nothing: its requests stand alone. */
export interface ClientSession {
  /** Its client made a request. */
  seen(client: DownstreamClient, sessionId: string | undefined): DownstreamClient
  /** True: a 2026 upstream is listened to for this resource, or no longer; false: the request is the upstream's own. */
  subscribes(server: UpstreamServer, method: string, uri: string, ctx: ServerContext): Promise<boolean>
  notify(method: string): void
  leave(): void
}

const lists: Filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

export function sessionOf(
  gateway: GatewayContext,
  { servers: all }: Scope,
  /** Left out: there is nobody to tell. */
  tell?: (server: string, method: string, params: JsonObject) => void,
): ClientSession {
  const watches = new Map<string, ReturnType<GatewayContext['subscriptions']['start']>>()
  const uris = new Map<string, Set<string>>()
  let client: DownstreamClient | undefined
  let session: string | undefined
  let unattend = () => {}

  async function isPerRequest(server: UpstreamServer, signal: AbortSignal): Promise<boolean> {
    const mine = client && (await gateway.withAccount(server, client))
    const found = mine && (await server.upstream.era(mine, signal))
    return found?.kind === 'found' && found.era.perRequest
  }

  /** A 2025 upstream tells its session by itself; a 2026 upstream has to be listened to. */
  async function listenTo(server: UpstreamServer, seen: DownstreamClient): Promise<void> {
    if (watches.has(server.id) || !(await isPerRequest(server, AbortSignal.timeout(60_000)))) return
    if (client === undefined || watches.has(server.id)) return
    const told = (method: string, params: JsonObject) => tell?.(server.id, method, params)
    watches.set(server.id, gateway.subscriptions.start({ server, client: seen, tell: told }, lists))
  }

  /** With another account, or none, an upstream has other things to list. */
  function accountChanged(provider: string, seen: DownstreamClient): void {
    for (const server of all.filter((one) => one.provider === provider)) {
      watches.get(server.id)?.stop()
      watches.delete(server.id)
      for (const kind of ['tools', 'prompts', 'resources']) tell?.(server.id, `notifications/${kind}/list_changed`, {})
      void listenTo(server, seen)
    }
  }

  return {
    seen(next, sessionId) {
      if (tell === undefined || client !== undefined) return next
      client = next
      session = sessionId
      unattend = gateway.accountWatch.watch(next.requester.participant, (provider) => accountChanged(provider, next))
      for (const server of all) void listenTo(server, next)
      return next
    },
    async subscribes(server, method, uri, ctx) {
      if (!(await isPerRequest(server, ctx.mcpReq.signal)) || client === undefined) return false
      await listenTo(server, client)
      const wanted = uris.get(server.id) ?? new Set()
      uris.set(server.id, wanted)
      if (method === 'resources/subscribe') wanted.add(uri)
      else wanted.delete(uri)
      watches.get(server.id)?.want({ ...lists, ...(wanted.size > 0 && { resourceSubscriptions: [...wanted] }) })
      return true
    },
    notify(method) {
      if (client === undefined) return
      for (const { upstream } of all) void upstream.notify(client, method, {})
    },
    leave() {
      unattend()
      for (const watch of watches.values()) watch.stop()
      if (client !== undefined) for (const { upstream } of all) upstream.release(client)
      gateway.levels.forget(session)
      client = undefined
    },
  }
}
