import type { AuthInfo, Server } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import { requesterOf } from '../../../mcp/http/requester.ts'
import type { FoundSession } from '../../../mcp/http/session/sessions.ts'
import { modesOf } from '../../../mcp/modes.ts'
import type { ClientInfo } from '../../../mcp/quirks.ts'
import { isPerRequest, revisionOf } from '../../../mcp/revision.ts'
import type { Ways } from '../../context.ts'
import { visitorFor } from '../../downstream/client.ts'
import type { Visitor } from '../../upstream/upstream.ts'
import type { PlainCall } from './read-call.ts'

/** Finds for whom a call is made, the same objects for the same one: digests of them are dear on the way of each call. */
export interface Speakers {
  /** Undefined: they must be heard by others first. */
  find(session: FoundSession | undefined, authInfo: AuthInfo | undefined, call: PlainCall): Visitor | undefined
}

interface Known {
  readonly inbox: boolean
  readonly visitor: Visitor
}

const most = 1_000

export function rememberSpeakers(ways: Ways): Speakers {
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
    const inbox = ways.inbox()
    const asks = ways.settings.elicitation
    return { inbox, visitor: visitorFor({ requester, sessionId, capabilities, modes }, { asks, inbox }) }
  }

  function inSession({ id, server }: FoundSession, authInfo: AuthInfo | undefined): Visitor | undefined {
    const known = sessions.get(server)
    // What a session's first call brings about at its upstream is not done here.
    if (known === undefined) {
      sessions.set(server, 'seen')
      return undefined
    }
    if (known !== 'seen' && known.inbox === ways.inbox()) return known.visitor
    const version = server.getNegotiatedProtocolVersion()
    if (isPerRequest(revisionOf(version))) return undefined
    const capabilities = server.getClientCapabilities()
    if (!isPlainObject(capabilities)) return undefined
    const made = make({ authInfo, sessionId: id }, version, server.getClientVersion(), capabilities as JsonObject)
    sessions.set(server, made)
    return made.visitor
  }

  function byRequest(authInfo: AuthInfo | undefined, { info, capabilities }: NonNullable<PlainCall['client']>) {
    const key = JSON.stringify([authInfo?.extra?.participant, authInfo?.clientId, info, capabilities])
    const known = clients.get(key)
    if (known !== undefined && known.inbox === ways.inbox()) return known.visitor
    ways.negotiations.client({ info, capabilities }, '2026-07-28')
    const made = make({ authInfo }, '2026-07-28', info, capabilities)
    if (clients.size >= most) clients.clear()
    clients.set(key, made)
    return made.visitor
  }

  return {
    find(session, authInfo, { client }) {
      if (client !== undefined) return byRequest(authInfo, client)
      return session && inSession(session, authInfo)
    },
  }
}
