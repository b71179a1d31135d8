import type { ServerEvent } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { inBackground } from '../../base/under-way.ts'
import { perRequestCaller } from '../../mcp/caller.ts'
import type { ListeningClient } from '../../mcp/http/subscription-bus.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import { routeResource, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import type { DownstreamClient } from '../upstream/upstream.ts'
import { downstreamClient } from './client.ts'
import type { Filter } from './subscriptions.ts'

interface Subscriber {
  readonly servers: readonly string[]
  readonly requester: string
  tell(event: ServerEvent): void
}

/** The 2026 clients that subscribed to changes. Each gets what upstreams send to its own requester. */
export interface Subscribers {
  /** A client subscribes at this address of the gateway. Returns what to call when it stops. */
  add(gateway: GatewayContext, scope: Scope, listening: ListeningClient): () => void
  tell(server: string, requester: Requester, method: string, params: JsonObject): void
  /** Tells every client that subscribed to this upstream that a list has changed. */
  tellChanged(server: string, method: string): void
}

export function createSubscribers(): Subscribers {
  const all = new Set<Subscriber>()
  return {
    add(gateway, scope, listening) {
      const client = clientIn(gateway, listening)
      const servers = scope.servers.map(({ id }) => id)
      const subscriber = { servers, requester: requesterKey(client.requester), tell: listening.tell }
      const stopping = new AbortController()
      all.add(subscriber)
      inBackground(subscribeToAll(gateway, scope, listening, client, stopping.signal))
      return () => {
        all.delete(subscriber)
        stopping.abort()
      }
    },
    tellChanged(server, method) {
      const event = eventOf(method, {})
      if (event === undefined) return
      for (const one of all) if (one.servers.includes(server)) one.tell(event)
    },
    tell(server, requester, method, params) {
      const event = eventOf(method, params)
      if (event === undefined) return
      const key = requesterKey(requester)
      for (const one of all) if (one.requester === key && one.servers.includes(server)) one.tell(event)
    },
  }
}

/** The client that sent `subscriptions/listen`. */
function clientIn(gateway: GatewayContext, { params, authInfo }: ListeningClient): DownstreamClient {
  const meta = isPlainObject(params._meta) ? (params._meta as JsonObject) : {}
  return downstreamClient(perRequestCaller(meta, authInfo, gateway.asking.quirks), gateway.asks())
}

async function subscribeToAll(
  gateway: GatewayContext,
  scope: Scope,
  { params, tell }: ListeningClient,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<void> {
  const { resourceSubscriptions = [], ...lists } = (
    isPlainObject(params.notifications) ? params.notifications : {}
  ) as Filter
  const wanted = resourceSubscriptions.slice(0, gateway.settings.limits.subscriptions)
  const owners = await Promise.all(
    wanted.map(async (uri) => [uri, await routeResource(gateway, scope, uri, { client, signal })] as const),
  )
  for (const server of scope.servers) {
    if (signal.aborted) return
    const uris = owners.flatMap(([uri, owner]) => (owner === server ? [uri] : []))
    const filter = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) }
    const subscription = gateway.subscriptions.start(
      {
        server,
        client,
        tell(method, told) {
          const event = eventOf(method, told)
          if (event === undefined) return
          if (!method.endsWith('/list_changed')) return tell(event)
          gateway.catalog.forget(server.id, client.requester)
          // Other instances forget their lists first: the client will ask any of them.
          inBackground(
            gateway.notices.share({ upstream: server.id, method, params: told }, true).then(() => tell(event)),
          )
        },
      },
      filter,
    )
    const stopWatchingAccounts = gateway.accountWatch.watch(client.requester.participant, (provider) => {
      if (provider !== server.provider) return
      // With another account, or none, the upstream lists other things.
      subscription.want(filter)
      gateway.catalog.forget(server.id, client.requester)
      for (const kind of ['tools', 'prompts', 'resources'] as const) tell({ kind: `${kind}_list_changed` })
    })
    signal.addEventListener(
      'abort',
      () => {
        stopWatchingAccounts()
        subscription.stop()
      },
      { once: true },
    )
  }
}

function eventOf(method: string, params: JsonObject): ServerEvent | undefined {
  switch (method) {
    case 'notifications/tools/list_changed':
      return { kind: 'tools_list_changed' }
    case 'notifications/prompts/list_changed':
      return { kind: 'prompts_list_changed' }
    case 'notifications/resources/list_changed':
      return { kind: 'resources_list_changed' }
    case 'notifications/resources/updated':
      return typeof params.uri === 'string' ? { kind: 'resource_updated', uri: params.uri } : undefined
    default:
      return undefined
  }
}
