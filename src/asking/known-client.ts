import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { JsonObject } from '../base/json.ts'
import type { ClientInfo } from '../mcp/quirks.ts'
import { isPerRequest, revisionOf } from '../mcp/revision.ts'

/** What a client says of itself. */
export interface KnownClient {
  readonly info: ClientInfo | undefined
  /** Undefined: it never said. */
  readonly capabilities: JsonObject | undefined
}

/** From 2026-07-28 on a client says who it is and what it can with each request, and nothing is remembered (B26-06). */
export function knownClient(server: Server, { mcpReq }: ServerContext): KnownClient {
  const perRequest = isPerRequest(revisionOf(server.getNegotiatedProtocolVersion()))
  if (!perRequest)
    return { info: server.getClientVersion(), capabilities: server.getClientCapabilities() as JsonObject | undefined }
  const envelope = mcpReq.envelope as Record<string, unknown> | undefined
  return {
    info: envelope?.[CLIENT_INFO_META_KEY] as ClientInfo | undefined,
    capabilities: envelope?.[CLIENT_CAPABILITIES_META_KEY] as KnownClient['capabilities'],
  }
}
