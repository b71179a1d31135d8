import { type JsonObject, withExactNumbers } from '../../../base/json.ts'
import { codes } from '../../../mcp/codes.ts'
import type { RpcError, RpcId } from '../upstream.ts'

/** A JSON-RPC message from an untrusted sender, reduced to the fields that are valid. */
export type Message = ResponseMessage | RequestMessage | NotificationMessage

/** A response, with either a result or an error. */
export interface ResponseMessage {
  kind: 'response'
  /** Null: the sender could not read the id of the request it answers. */
  id: RpcId | null
  result?: JsonObject
  error?: RpcError
}

/** A request, which the sender expects an answer to. */
export interface RequestMessage {
  kind: 'request'
  id: RpcId
  method: string
  params: JsonObject
}

/** A notification, which gets no answer. */
export interface NotificationMessage {
  kind: 'notification'
  method: string
  params: JsonObject
}

/** Parses one message; undefined if the text is not a JSON-RPC message. */
export function readMessage(text: string): Message | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  return messageOf(isFinalResult(value) ? withExactNumbers(text, value) : value)
}

/** Only final results reach the client as they were written. Everything else is read here, as numbers of JavaScript. */
function isFinalResult({ result }: JsonObject): boolean {
  return isObject(result) && result.resultType !== 'input_required'
}

function messageOf({ id, method, params, result, error }: JsonObject): Message | undefined {
  if (typeof method === 'string') {
    const given = isObject(params) ? params : {}
    if (id === undefined) return { kind: 'notification', method, params: given }
    return isId(id) ? { kind: 'request', id, method, params: given } : undefined
  }
  if (id !== undefined && id !== null && !isId(id)) return undefined
  if (isObject(error)) return { kind: 'response', id: id ?? null, error: errorOf(error) }
  if (isObject(result) && isId(id)) return { kind: 'response', id, result }
  return undefined
}

function errorOf({ code, message, data }: JsonObject): RpcError {
  return {
    code: Number.isInteger(code) ? (code as number) : codes.internalError,
    message: typeof message === 'string' ? message : 'The server gave no message.',
    ...(data !== undefined && { data }),
  }
}

/** Whether a value that came from `JSON.parse` is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || typeof value === 'number'
}
