import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, type ServerEvent } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { requesterOf } from '../../mcp/http/requester.ts'
import type { ListeningClient } from '../../mcp/http/subscription-bus.ts'
import { modesOf } from '../../mcp/modes.ts'
import type { ClientInfo } from '../../mcp/quirks.ts'
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

/** The 2026 clients that listen: each hears what upstreams say to its own requester. */
export interface Subscribers {
  /** One begins to listen at this address of the gateway; returns what to do when it stops. */
  add(gateway: GatewayContext, scope: Scope, listening: ListeningClient): () => void
  tell(server: string, requester: Requester, method: string, params: JsonObject): void
}

export function createSubscribers(): Subscribers {
  const all = new Set<Subscriber>()
  return {
    add(gateway, scope, listening) {
      const client = clientIn(gateway, listening)
      const servers = scope.servers.map(({ id }) => id)
      const listener = { servers, requester: requesterKey(client.requester), tell: listening.tell }
      const stopping = new AbortController()
      all.add(listener)
      void watchAll(gateway, scope, listening, client, stopping.signal)
      return () => {
        all.delete(listener)
        stopping.abort()
      }
    },
    tell(server, requester, method, params) {
      const event = eventOf(method, params)
      if (event === undefined) return
      const key = requesterKey(requester)
      for (const one of all) if (one.requester === key && one.servers.includes(server)) one.tell(event)
    },
  }
}

/** Whoever listens speaks for itself with its request, as with any other. */
function clientIn(gateway: GatewayContext, { params, authInfo }: ListeningClient): DownstreamClient {
  const meta = isPlainObject(params._meta) ? (params._meta as JsonObject) : {}
  const { participant, client } = requesterOf(authInfo === undefined ? {} : ({ http: { authInfo } } as never))
  const info = meta[CLIENT_INFO_META_KEY] as ClientInfo | undefined
  const declared = meta[CLIENT_CAPABILITIES_META_KEY]
  const capabilities = isPlainObject(declared) ? (declared as JsonObject) : {}
  const requester = { participant, client, ...(info?.name !== undefined && { clientName: info.name }) }
  const modes = modesOf(capabilities.elicitation, '2026-07-28', info, [])
  return downstreamClient(
    { requester, capabilities, modes },
    { asks: gateway.settings.elicitation, inbox: gateway.inbox() },
  )
}

async function watchAll(
  gateway: GatewayContext,
  scope: Scope,
  { params, tell }: ListeningClient,
  client: DownstreamClient,
  signal: AbortSignal,
): Promise<void> {
  const { resourceSubscriptions = [], ...lists } = (
    isPlainObject(params.notifications) ? params.notifications : {}
  ) as Filter
  const owners = await Promise.all(
    resourceSubscriptions.map(async (uri) => [uri, await routeResource(gateway, scope, uri, client, signal)] as const),
  )
  for (const server of scope.servers) {
    if (signal.aborted) return
    const uris = owners.flatMap(([uri, owner]) => (owner === server ? [uri] : []))
    const wants = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) }
    const watch = gateway.subscriptions.start(
      {
        server,
        client,
        tell(method, told) {
          if (method.endsWith('/list_changed')) gateway.catalog.forget(server.id, client.requester)
          const event = eventOf(method, told)
          if (event !== undefined) tell(event)
        },
      },
      wants,
    )
    const unattend = gateway.accountWatch.watch(client.requester.participant, (provider) => {
      if (provider !== server.provider) return
      // With another account, or none, it has other things to list, and to tell of.
      watch.want(wants)
      gateway.catalog.forget(server.id, client.requester)
      for (const kind of ['tools', 'prompts', 'resources'] as const) tell({ kind: `${kind}_list_changed` })
    })
    signal.addEventListener(
      'abort',
      () => {
        unattend()
        watch.stop()
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
