import { CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, type ServerEvent } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { requesterOf } from '../../mcp/http/requester.ts'
import type { Listening } from '../../mcp/http/subscription-bus.ts'
import { modesOf } from '../../mcp/modes.ts'
import type { ClientInfo } from '../../mcp/quirks.ts'
import { type Requester, requesterKey } from '../../participant/requester.ts'
import { findResource, type Scope } from '../catalog/route.ts'
import type { Ways } from '../context.ts'
import type { Visitor } from '../upstream/upstream.ts'
import { visitorFor } from './client.ts'
import type { Wants } from './subscriptions.ts'

interface Listener {
  readonly servers: readonly string[]
  readonly requester: string
  tell(event: ServerEvent): void
}

/** The 2026 clients that listen: each hears what upstreams say to its own requester. */
export interface Listeners {
  /** One begins to listen at this address of the gateway; returns what to do when it stops. */
  add(ways: Ways, scope: Scope, listening: Listening): () => void
  tell(server: string, requester: Requester, method: string, params: JsonObject): void
}

export function createListeners(): Listeners {
  const all = new Set<Listener>()
  return {
    add(ways, scope, listening) {
      const visitor = visitorIn(ways, listening)
      const servers = scope.behind.map(({ id }) => id)
      const listener = { servers, requester: requesterKey(visitor.requester), tell: listening.tell }
      const stopping = new AbortController()
      all.add(listener)
      void watchAll(ways, scope, listening, visitor, stopping.signal)
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
function visitorIn(ways: Ways, { params, authInfo }: Listening): Visitor {
  const meta = isPlainObject(params._meta) ? (params._meta as JsonObject) : {}
  const { participant, client } = requesterOf(authInfo === undefined ? {} : ({ http: { authInfo } } as never))
  const info = meta[CLIENT_INFO_META_KEY] as ClientInfo | undefined
  const declared = meta[CLIENT_CAPABILITIES_META_KEY]
  const capabilities = isPlainObject(declared) ? (declared as JsonObject) : {}
  const requester = { participant, client, ...(info?.name !== undefined && { clientName: info.name }) }
  const modes = modesOf(capabilities.elicitation, '2026-07-28', info, [])
  return visitorFor({ requester, capabilities, modes }, { asks: ways.settings.elicitation, inbox: ways.inbox() })
}

async function watchAll(
  ways: Ways,
  scope: Scope,
  { params, tell }: Listening,
  visitor: Visitor,
  signal: AbortSignal,
): Promise<void> {
  const { resourceSubscriptions = [], ...lists } = (
    isPlainObject(params.notifications) ? params.notifications : {}
  ) as Wants
  const owners = await Promise.all(
    resourceSubscriptions.map(async (uri) => [uri, await findResource(ways, scope, uri, visitor, signal)] as const),
  )
  for (const behind of scope.behind) {
    if (signal.aborted) return
    const uris = owners.flatMap(([uri, owner]) => (owner === behind ? [uri] : []))
    const wants = { ...lists, ...(uris.length > 0 && { resourceSubscriptions: uris }) }
    const watch = ways.watching.start(
      {
        behind,
        visitor,
        tell(method, told) {
          if (method.endsWith('/list_changed')) ways.catalog.forget(behind.id, visitor.requester)
          const event = eventOf(method, told)
          if (event !== undefined) tell(event)
        },
      },
      wants,
    )
    const unattend = ways.accounts.attend(visitor.requester.participant, (provider) => {
      if (provider !== behind.provider) return
      // With another account, or none, it has other things to list, and to tell of.
      watch.want(wants)
      ways.catalog.forget(behind.id, visitor.requester)
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
