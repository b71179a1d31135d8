import type { ToolCall } from '../../approval/tool-call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Caller } from '../../mcp/caller.ts'
import type { KnownTool } from '../catalog/catalog.ts'
import type { UpstreamServer } from '../options.ts'

/** A request for a tool of an upstream, as a call that policy can decide about. */
export function upstreamCallOf(
  { requester, groups }: Pick<Caller, 'requester' | 'groups'>,
  server: UpstreamServer,
  { item, facts }: KnownTool,
  given: JsonObject,
): ToolCall {
  return {
    requester,
    groups,
    server: server.id,
    tool: String(item.name),
    arguments: given,
    trusted: server.trusted,
    ...facts,
  }
}
