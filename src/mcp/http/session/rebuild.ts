import type { AuthInfo } from '@modelcontextprotocol/server'
import type { JsonObject } from '../../../base/json.ts'
import type { SessionTransport } from './session.ts'

/**
 * Makes a new SDK server know the client of a session that began at another instance, or before a restart, by what that
 * client said of itself: the server gets the same `initialize` once more. Throws if it does not take it.
 */
export async function rebuild(
  transport: SessionTransport,
  { url, id }: { readonly url: string; readonly id: string },
  initialize: JsonObject,
  authInfo: AuthInfo | undefined,
): Promise<void> {
  const post = (message: JsonObject, headers: Record<string, string> = {}) =>
    transport.handleRequest(
      new Request(url, {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      }),
      { parsedBody: { jsonrpc: '2.0', ...message }, ...(authInfo !== undefined && { authInfo }) },
    )
  const response = await post({ id: 'rebuild', method: 'initialize', params: initialize })
  // Its end says that the server has answered.
  await response.text()
  if (!response.ok) throw new Error(`A session could not be rebuilt: ${response.status}`)
  await post({ method: 'notifications/initialized' }, { 'mcp-session-id': id })
}
