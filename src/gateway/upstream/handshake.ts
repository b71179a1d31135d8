import type { JsonObject } from '../../base/json.ts'
import { memoryOf } from '../../base/limits/json-values.ts'
import { codes } from '../../mcp/codes.ts'
import type { UpstreamLimits } from './options.ts'
import type { DownstreamClient, Implementation, Lost, RpcError, UpstreamEra, UpstreamResult } from './upstream.ts'
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

/** The end of a handshake in which an upstream says more of itself than may be kept. */
export function tooLargeHandshake(
  { result, length = 0 }: UpstreamResult,
  { handshakeBytes }: UpstreamLimits,
): Lost | undefined {
  if (memoryOf(result, length) <= handshakeBytes) return undefined
  const detail = `handshake: the upstream says more of itself than ${handshakeBytes} bytes of memory can hold`
  return { kind: 'lost', reason: 'too-long', sent: false, detail }
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
