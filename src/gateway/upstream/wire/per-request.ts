import type { JsonObject } from '../../../base/json.ts'
import type { ClientInfo, DownstreamClient, UpstreamEra } from '../upstream.ts'
import { isObject } from './message.ts'

/** The revision in which each request stands alone. */
export const perRequestRevision = '2026-07-28'

const prefix = 'io.modelcontextprotocol/'
/** Names the listen request that a notification belongs to. */
export const subscriptionKey = `${prefix}subscriptionId`

/** Puts into a request what 2026-07-28 wants in each: version, capabilities, who asks (B26-08, B26-09). */
export function withEnvelope(params: JsonObject, client: DownstreamClient, self: ClientInfo): JsonObject {
  return {
    ...params,
    _meta: {
      ...(isObject(params._meta) && params._meta),
      [`${prefix}protocolVersion`]: perRequestRevision,
      [`${prefix}clientInfo`]: client.clientInfo ?? self,
      [`${prefix}clientCapabilities`]: client.capabilities,
    },
  }
}

/** Takes out what only 2026-07-28 knows; a 2025 upstream is told at its handshake. */
export function withoutEnvelope(params: JsonObject): JsonObject {
  const meta = params._meta
  if (!isObject(meta) || !Object.keys(meta).some((key) => key.startsWith(prefix))) return params
  const { _meta, ...rest } = params
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(prefix))
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest
}

/** What a `server/discover` result tells, if the server speaks 2026-07-28. */
export function eraOfDiscovery(result: JsonObject): UpstreamEra | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(perRequestRevision)) return undefined
  const serverInfo = isObject(_meta) ? _meta[`${prefix}serverInfo`] : undefined
  return {
    revision: perRequestRevision,
    perRequest: true,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}
