import type { JsonObject } from '../../base/json.ts'
import { codes } from '../../mcp/codes.ts'
import type { DownstreamClient, Implementation, RpcError, UpstreamEra } from './upstream.ts'
import { isObject } from './wire/message.ts'

const offeredRevision = '2025-11-25'
// The two oldest revisions have no elicitation; everything else works.
const supportedRevisions = new Set([offeredRevision, '2025-06-18', '2025-03-26', '2024-11-05'])

/** The parameters of `initialize` for this client. */
export function initializeParams(client: DownstreamClient, self: Implementation): JsonObject {
  return {
    protocolVersion: offeredRevision,
    capabilities: client.capabilities,
    clientInfo: client.clientInfo ?? self,
  }
}

/** The era that the result of `initialize` describes; undefined if the gateway does not support its revision. */
export function eraOfInitialize(result: JsonObject): UpstreamEra | undefined {
  const { protocolVersion, capabilities, serverInfo, instructions } = result
  if (typeof protocolVersion !== 'string' || !supportedRevisions.has(protocolVersion)) return undefined
  return {
    revision: protocolVersion,
    perRequest: false,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/**
 * Whether only a 2026-07-28 server gives this error, so that the server must not be treated as an older one (V26-06).
 */
export function isPerRequestError({ code, data }: RpcError): boolean {
  if (code === codes.headerMismatch || code === codes.missingCapability) return true
  if (code !== codes.unsupportedVersion) return false
  const supported = isObject(data) && Array.isArray(data.supported) ? data.supported : []
  return !supported.some((version) => typeof version === 'string' && supportedRevisions.has(version))
}
