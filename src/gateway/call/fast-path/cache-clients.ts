import type { AuthInfo, Server } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import { requesterOf } from '../../../mcp/http/requester.ts'
import type { FoundSession } from '../../../mcp/http/session/sessions.ts'
import { modesOf } from '../../../mcp/modes.ts'
import type { ClientInfo } from '../../../mcp/quirks.ts'
import { isPerRequest, revisionOf } from '../../../mcp/revision.ts'
import type { GatewayContext } from '../../context.ts'
import { downstreamClient } from '../../downstream/client.ts'
import type { DownstreamClient } from '../../upstream/upstream.ts'
import type { PlainCall } from './read-call.ts'

/** Finds for whom a call is made, the same objects for the same one: digests of them are dear on the way of each call. */
export interface ClientCache {
  /** Undefined: they must be heard by others first. */
  find(session: FoundSession | undefined, authInfo: AuthInfo | undefined, call: PlainCall): DownstreamClient | undefined
}

interface Known {
  readonly inbox: boolean
  readonly client: DownstreamClient
}

const most = 1_000

export function cacheClients(gateway: GatewayContext): ClientCache {
  const sessions = new WeakMap<Server, Known | 'seen'>()
  const clients = new Map<string, Known>()

  function make(
    who: { readonly authInfo: AuthInfo | undefined; readonly sessionId?: string },
    version: string | undefined,
    info: ClientInfo | undefined,
    capabilities: JsonObject,
  ): Known {
    const { authInfo, sessionId } = who
    const { participant, client } = requesterOf({ ...(authInfo && { http: { authInfo } }), sessionId } as never)
    const requester = { participant, client, ...(info && { clientName: info.name }) }
    const modes = modesOf(capabilities.elicitation, revisionOf(version), info, [])
    const inbox = gateway.inbox()
    const asks = gateway.settings.elicitation
    return { inbox, client: downstreamClient({ requester, sessionId, capabilities, modes }, { asks, inbox }) }
  }

  function inSession({ id, server }: FoundSession, authInfo: AuthInfo | undefined): DownstreamClient | undefined {
    const known = sessions.get(server)
    // What a session's first call brings about at its upstream is not done here.
    if (known === undefined) {
      sessions.set(server, 'seen')
      return undefined
    }
    if (known !== 'seen' && known.inbox === gateway.inbox()) return known.client
    const version = server.getNegotiatedProtocolVersion()
    if (isPerRequest(revisionOf(version))) return undefined
    const capabilities = server.getClientCapabilities()
    if (!isPlainObject(capabilities)) return undefined
    const made = make({ authInfo, sessionId: id }, version, server.getClientVersion(), capabilities as JsonObject)
    sessions.set(server, made)
    return made.client
  }

  function byRequest(authInfo: AuthInfo | undefined, { info, capabilities }: NonNullable<PlainCall['client']>) {
    const key = JSON.stringify([authInfo?.extra?.participant, authInfo?.clientId, info, capabilities])
    const known = clients.get(key)
    if (known !== undefined && known.inbox === gateway.inbox()) return known.client
    gateway.negotiations.client({ info, capabilities }, '2026-07-28')
    const made = make({ authInfo }, '2026-07-28', info, capabilities)
    if (clients.size >= most) clients.clear()
    clients.set(key, made)
    return made.client
  }

  return {
    find(session, authInfo, { client }) {
      if (client !== undefined) return byRequest(authInfo, client)
      return session && inSession(session, authInfo)
    },
  }
}
