import type { AuthInfo, McpServer } from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { requesterOf } from '../../mcp/http/requester.ts'
import { routeNamed, type Scope } from '../catalog/route.ts'
import type { GatewayContext } from '../context.ts'
import { decodeHeaderValue } from '../upstream/wire/header-values.ts'

/** The input schema of the tool that a 2026 request calls, as far as its headers say which. */
export async function calledSchema(
  gateway: GatewayContext,
  scope: Scope,
  request: Request | undefined,
  authInfo: AuthInfo | undefined,
): Promise<JsonObject | undefined> {
  const name = decodeHeaderValue(request?.headers.get('mcp-name') ?? '')
  if (request === undefined || name === undefined || request.headers.get('mcp-method') !== 'tools/call')
    return undefined
  const sender = requesterOf(authInfo === undefined ? {} : { http: { authInfo } })
  const client = { requester: { participant: sender.participant, client: sender.client }, capabilities: {} }
  const { signal } = request
  const found = await routeNamed(gateway, scope, 'tools', name, client, signal)
  if (found === undefined) return undefined
  const mine = await gateway.withAccount(found.server, client)
  if (mine === undefined) return undefined
  const era = await found.server.upstream.era(mine, signal)
  // Only tools of 2026-07-28 want their arguments repeated in headers.
  if (era.kind !== 'found' || !era.era.perRequest) return undefined
  const tool = await gateway.catalog.tool(found.server, found.name, mine, signal)
  return tool !== undefined && 'item' in tool && isPlainObject(tool.item.inputSchema)
    ? (tool.item.inputSchema as JsonObject)
    : undefined
}

/** The SDK compares headers and body before it opens a stream (H26-06), for tools whose schema the server knows. */
export function knowsSchema(mcp: McpServer, schema: JsonObject): void {
  Object.assign(mcp, { toolInputSchemaJson: () => schema })
}
