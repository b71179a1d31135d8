import type { ServerResponse } from 'node:http'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { RpcId } from '../../upstream/upstream.ts'

/** Who answers. */
export interface Answerer {
  readonly name: string
  readonly version: string
}

const serverInfoKey = 'io.modelcontextprotocol/serverInfo'

/** A result as 2026-07-28 wants it: whole, and with the name of who gives it. */
export function perRequestResult(result: JsonObject, { name, version }: Answerer): JsonObject {
  const given = isPlainObject(result._meta) ? (result._meta as JsonObject) : {}
  if (result.resultType !== undefined && given[serverInfoKey] !== undefined) return result
  return { resultType: 'complete', ...result, _meta: { [serverInfoKey]: { name, version }, ...given } }
}

/** Answers a request with a result; head and body leave in one write. */
export function answerWith(reply: ServerResponse, id: RpcId, result: JsonObject, sessionId: string | undefined): void {
  const text = JSON.stringify({ jsonrpc: '2.0', id, result })
  const headers = ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(text))]
  if (sessionId !== undefined) headers.push('mcp-session-id', sessionId)
  reply.writeHead(200, headers)
  reply.end(text)
}

/** Ends a request that gets no answer. */
export function endWithoutAnswer(reply: ServerResponse): void {
  reply.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).end()
}
