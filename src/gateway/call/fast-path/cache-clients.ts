import type { AuthInfo } from '@modelcontextprotocol/server'
import { type Caller, type KnownClient, perRequestCaller, sessionCaller } from '../../../mcp/caller.ts'
import type { FastSession } from '../../../mcp/fast-path.ts'
import { isPerRequest } from '../../../mcp/revision.ts'
import type { GatewayContext } from '../../context.ts'
import { downstreamClient } from '../../downstream/client.ts'
import type { DownstreamClient } from '../../upstream/upstream.ts'
import type { PlainCall } from './read-call.ts'

/**
 * Finds the client of a call, as the same objects each time: their digests are cached by object, and making them anew
 * would cost as much as deciding.
 */
export interface ClientCache {
  /** Undefined until the session has sent one call through the SDK server, which prepares what stays open for it. */
  find(session: FastSession | undefined, authInfo: AuthInfo | undefined, call: PlainCall): DownstreamClient | undefined
}

interface Cached {
  /** Whether the inbox could be asked when this was made: it decides what is declared upstream. */
  readonly inbox: boolean
  readonly client: DownstreamClient
}

const most = 1_000
const longestKey = 4_096

export function cacheClients(gateway: GatewayContext): ClientCache {
  const bySession = new WeakMap<KnownClient, Cached>()
  const byMeta = new Map<string, Cached>()
  const seen = new WeakSet<KnownClient>()
  const quirks = gateway.asking.quirks

  const isCurrent = (cached: Cached | undefined): cached is Cached => cached?.inbox === gateway.asks().inbox

  function make(caller: Caller): Cached {
    gateway.negotiations.client(caller)
    const asks = gateway.asks()
    return { inbox: asks.inbox, client: downstreamClient(caller, asks) }
  }

  function inSession({ id, server }: FastSession, authInfo: AuthInfo | undefined): DownstreamClient | undefined {
    const known = bySession.get(server)
    if (isCurrent(known)) return known.client
    const caller = sessionCaller(server, id, authInfo, quirks)
    if (isPerRequest(caller.revision) || caller.declared === undefined) return undefined
    const made = make(caller)
    bySession.set(server, made)
    return made.client
  }

  function perRequest(authInfo: AuthInfo | undefined, meta: NonNullable<PlainCall['envelope']>): DownstreamClient {
    const key = JSON.stringify([authInfo?.extra?.participant, authInfo?.clientId, meta])
    const known = byMeta.get(key)
    if (isCurrent(known)) return known.client
    const made = make(perRequestCaller(meta, authInfo, quirks))
    // What a client says of itself may be very long, and each of its requests may say something else.
    if (key.length > longestKey) return made.client
    if (byMeta.size >= most) byMeta.clear()
    byMeta.set(key, made)
    return made.client
  }

  return {
    find(session, authInfo, { envelope }) {
      if (session !== undefined && !seen.has(session.server)) {
        seen.add(session.server)
        return undefined
      }
      if (envelope !== undefined) return perRequest(authInfo, envelope)
      return session && inSession(session, authInfo)
    },
  }
}
