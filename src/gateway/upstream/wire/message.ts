import { type JsonObject, withExactNumbers } from '../../../base/json.ts'
import { hasMoreValues } from '../../../base/limits/json-values.ts'
import { codes } from '../../../mcp/codes.ts'
import { ownPrefix } from '../../../mcp/meta-keys.ts'
import type { RpcError, RpcId } from '../upstream.ts'

/** A JSON-RPC message from an untrusted sender, reduced to the fields that are valid. */
export type Message = ResponseMessage | RequestMessage | NotificationMessage

/** A response, with either a result or an error. */
export interface ResponseMessage {
  kind: 'response'
  /** Null: the sender could not read the id of the request it answers. */
  id: RpcId | null
  result?: JsonObject
  /** The result as the upstream wrote it, without a line break. Left out if it may not go on as it is. */
  written?: string
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

/** Parses one message; undefined if the text is not a JSON-RPC message, or holds more values than `mostValues`. */
export function readMessage(text: string, mostValues: number): Message | undefined {
  // Most texts are too short for that many values.
  if (text.length > mostValues && hasMoreValues(text, mostValues)) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value)) return undefined
  const message = isFinalResult(value) ? withExactNumbers(text, value) : value
  if (mayHaveOwnKeys(text)) dropOwnKeys(message)
  return messageOf(message)
}

/**
 * Reads a final result of request `id`, if it is written in one of the two ways in which nearly all servers write it. The
 * result is cut out of the text and parsed by itself: if it is one value, the text holds that value and nothing besides.
 * Undefined: anything else, which `readMessage` reads.
 */
export function readResult(text: string, id: RpcId, mostValues: number): ResponseMessage | undefined {
  const written = resultIn(text, JSON.stringify(id))
  if (written === undefined || !mayGoOn(written)) return undefined
  if (text.length > mostValues && hasMoreValues(text, mostValues)) return undefined
  let result: unknown
  try {
    result = JSON.parse(written)
  } catch {
    return undefined
  }
  if (!isObject(result) || result.resultType === 'input_required') return undefined
  return { kind: 'response', id, result: withExactNumbers(written, result), written }
}

const resultFirst = '{"result":'

function resultIn(text: string, id: string): string | undefined {
  const after = `,"jsonrpc":"2.0","id":${id}}`
  if (text.startsWith(resultFirst) && text.endsWith(after)) return text.slice(resultFirst.length, -after.length)
  const before = `{"jsonrpc":"2.0","id":${id},"result":`
  return text.startsWith(before) && text.endsWith('}') ? text.slice(before.length, -1) : undefined
}

const brace = 123
const closingBrace = 125
/** What is judged here. Another reader may take the first of two, where `JSON.parse` takes the last. */
const judged = ['"isError"', '"resultType"', '"_meta"']

/** Whether a result can reach the client in these words: nothing in it is ours to remove, and it can be read in one way only. */
function mayGoOn(written: string): boolean {
  if (written.charCodeAt(0) !== brace || written.charCodeAt(written.length - 1) !== closingBrace) return false
  // Without escapes by number, each of these names is spelled in one way.
  if (mayHaveOwnKeys(written) || written.includes('\n') || written.includes('\r')) return false
  for (const name of judged) {
    const at = written.indexOf(name)
    if (at !== -1 && written.includes(name, at + 1)) return false
  }
  return true
}

/** Only final results reach the client as they were written. Everything else is read here, as numbers of JavaScript. */
function isFinalResult({ result }: JsonObject): boolean {
  return isObject(result) && result.resultType !== 'input_required'
}

/** In JSON a key can be written with escapes. What is rare, and found fast, is looked for first. */
function mayHaveOwnKeys(text: string): boolean {
  if (text.includes('\\u')) return true
  return text.includes('_meta') && (text.includes(ownPrefix) || text.includes('\\/'))
}

/** Data of tools and forms. A `_meta` in it is a name like any other. */
const freeForm = new Set(['structuredContent', 'inputSchema', 'outputSchema', 'requestedSchema', 'arguments', 'input'])

/** Removes our own keys from every `_meta`: nobody else says what became of a call here, or who approved it. */
function dropOwnKeys(message: JsonObject): void {
  // Without recursion: a message may be nested deeper than the stack.
  const open: unknown[] = [message]
  while (open.length > 0) {
    const next = open.pop()
    if (Array.isArray(next)) for (const item of next) open.push(item)
    if (!isObject(next)) continue
    for (const name of Object.keys(next)) {
      const member = next[name]
      if (name === '_meta' && isObject(member)) {
        for (const key of Object.keys(member)) if (key.startsWith(ownPrefix)) delete member[key]
      }
      if (typeof member === 'object' && !freeForm.has(name)) open.push(member)
    }
  }
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
