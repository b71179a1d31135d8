import type { IncomingHttpHeaders } from 'node:http'
import type { JSONRPCResultResponse } from '@modelcontextprotocol/server'
import { isPlainObject } from '../../../base/json.ts'

const messageKeys = new Set(['jsonrpc', 'id', 'result'])
const resultKeys = new Set(['action', 'content'])

/**
 * A client's answer to a question, if nothing in it is out of the ordinary: undefined for anything that the session's
 * transport might refuse or read in another way. `version` is what the session speaks.
 */
export function readAnswer(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders,
  version: string | undefined,
): JSONRPCResultResponse | undefined {
  const { jsonrpc, id, result } = body
  if (jsonrpc !== '2.0' || !hasOnly(body, messageKeys)) return undefined
  // A string is the id of a request that may have been sent by another instance.
  if (!Number.isSafeInteger(id) && typeof id !== 'string') return undefined
  if (!isPlainObject(result) || typeof result.action !== 'string' || !hasOnly(result, resultKeys)) return undefined
  // The transport drops what has this name.
  if (result.content !== undefined && (!isPlainObject(result.content) || Object.hasOwn(result.content, '__proto__'))) {
    return undefined
  }
  const { accept = '', 'mcp-protocol-version': named } = headers
  if (named !== version || !accept.includes('application/json') || !accept.includes('text/event-stream'))
    return undefined
  return body as unknown as JSONRPCResultResponse
}

function hasOnly(object: Record<string, unknown>, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false
  return true
}
