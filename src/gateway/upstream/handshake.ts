import type { JsonObject } from '../../base/json.ts'
import type { ClientInfo, DownstreamClient, RpcError, UpstreamEra } from './upstream.ts'
import { isObject } from './wire/message.ts'

const offered = '2025-11-25'
// The oldest ones know no elicitation; all else works.
const spoken = new Set([offered, '2025-06-18', '2025-03-26', '2024-11-05'])

/** The parameters of `initialize` for this visitor. */
export function initializeParams(client: DownstreamClient, self: ClientInfo): JsonObject {
  return {
    protocolVersion: offered,
    capabilities: client.capabilities,
    clientInfo: client.clientInfo ?? self,
  }
}

/** What the answer to `initialize` tells, if it names a version that we speak. */
export function eraOfInitialize(result: JsonObject): UpstreamEra | undefined {
  const { protocolVersion, capabilities, serverInfo, instructions } = result
  if (typeof protocolVersion !== 'string' || !spoken.has(protocolVersion)) return undefined
  return {
    revision: protocolVersion,
    perRequest: false,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}

/** Errors only a 2026-07-28 server gives: it must not be taken for an older one (V26-06). */
export function isPerRequestError({ code, data }: RpcError): boolean {
  if (code === -32020 || code === -32021) return true
  if (code !== -32022) return false
  const supported = isObject(data) && Array.isArray(data.supported) ? data.supported : []
  return !supported.some((version) => typeof version === 'string' && spoken.has(version))
}
