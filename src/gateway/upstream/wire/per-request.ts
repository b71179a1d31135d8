import type { JsonObject } from '../../../base/json.ts'
import type { DownstreamClient, Implementation, UpstreamEra } from '../upstream.ts'
import { isObject } from './message.ts'

/** The revision without sessions, in which each request carries its own context. */
export const perRequestRevision = '2026-07-28'

const metaPrefix = 'io.modelcontextprotocol/'
/** The `_meta` key that names the `subscriptions/listen` request a notification belongs to. */
export const subscriptionKey = `${metaPrefix}subscriptionId`

/**
 * Adds the `_meta` keys that 2026-07-28 requires in each request: version, capabilities, client info (B26-08, B26-09).
 */
export function withEnvelope(params: JsonObject, client: DownstreamClient, self: Implementation): JsonObject {
  return {
    ...params,
    _meta: {
      ...(isObject(params._meta) && params._meta),
      [`${metaPrefix}protocolVersion`]: perRequestRevision,
      [`${metaPrefix}clientInfo`]: client.clientInfo ?? self,
      [`${metaPrefix}clientCapabilities`]: client.capabilities,
    },
  }
}

/** Removes the `_meta` keys of 2026-07-28. A 2025 upstream gets the same facts in its handshake. */
export function withoutEnvelope(params: JsonObject): JsonObject {
  const meta = params._meta
  if (!isObject(meta) || !Object.keys(meta).some((key) => key.startsWith(metaPrefix))) return params
  const { _meta, ...rest } = params
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(metaPrefix))
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest
}

/** The era that the result of `server/discover` describes; undefined if the server does not support 2026-07-28. */
export function eraOfDiscovery(result: JsonObject): UpstreamEra | undefined {
  const { supportedVersions, capabilities, instructions, _meta } = result
  if (!Array.isArray(supportedVersions) || !supportedVersions.includes(perRequestRevision)) return undefined
  const serverInfo = isObject(_meta) ? _meta[`${metaPrefix}serverInfo`] : undefined
  return {
    revision: perRequestRevision,
    perRequest: true,
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
  }
}
