import { LOG_LEVEL_META_KEY, type ServerContext } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../base/json.ts'

/** The `_meta` of a forwarded request: what the client sent, without the keys that are between client and gateway. */
export function metaFor(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  logLevel: string | undefined,
): JsonObject | undefined {
  const given = Object.entries((mcpReq._meta ?? {}) as JsonObject)
  const kept = given.filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))
  if (logLevel !== undefined) kept.push([LOG_LEVEL_META_KEY, logLevel])
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}
