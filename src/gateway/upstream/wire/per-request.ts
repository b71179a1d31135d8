import type { JsonObject } from '../../../base/json.ts'
import type { UpstreamEra } from '../upstream.ts'
import { isObject } from './message.ts'

/** The revision without sessions, in which each request carries its own context. */
export const perRequestRevision = '2026-07-28'

/** Begins the `_meta` keys that 2026-07-28 reserves. */
export const metaPrefix = 'io.modelcontextprotocol/'
/** The `_meta` key that names the `subscriptions/listen` request a notification belongs to. */
export const subscriptionKey = `${metaPrefix}subscriptionId`

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
