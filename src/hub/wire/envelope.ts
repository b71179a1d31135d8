import { isPlainObject, isText, type Json, type JsonObject, parseJson, writeJson } from '../../base/json.ts'

/** The protocol that every envelope names. */
export const protocolName = 'mcp-x/v0'

/** The name under which the hub itself speaks. No participant may have it. */
export const hubName = 'assent'

/** The key of an envelope in which the hub tells on whose behalf a call comes. Senders must not use it. */
export const chainKey = 'assent'

/** The key in a request's `_meta` by which an agent names the call that it is answering while it makes this one. */
export const onBehalfKey = 'assent/on-behalf-of'

/** An envelope, read from a message. What it holds besides is in `text` and passed on as it came. */
export interface Envelope {
  readonly id: string
  readonly from: string
  /** Whom it is for; empty: everybody. */
  readonly to: readonly string[]
  /** `mcp`, `presence`, `system`, or a kind that the hub does not know. */
  readonly kind: string
  readonly correlationId?: string
  readonly payload: Readonly<Record<string, unknown>>
  /** The message as it came, or written anew where others could read it in another way. */
  readonly text: string
}

/** A message of JSON-RPC, as far as the hub looks at it. */
export type RpcMessage =
  | {
      readonly kind: 'request'
      readonly id: MessageId
      readonly method: string
      readonly params: Record<string, unknown>
    }
  | { readonly kind: 'response'; readonly id: MessageId; readonly isError: boolean }
  | { readonly kind: 'notification'; readonly method: string }

export type MessageId = string | number

/** Why a message is no envelope, in words for its sender. */
export interface Unreadable {
  readonly problem: string
  /** The id that it has all the same, so that the sender knows which message is meant. */
  readonly id?: string
}

const longestId = 200
const mostRecipients = 1_000

/** Reads a message. Only what the hub decides by is looked at. */
export function readEnvelope(text: string): Envelope | Unreadable {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'This is not JSON.' }
  }
  if (!isPlainObject(value)) return { problem: 'An envelope is a JSON object.' }
  const { protocol, id, from, to = [], kind, correlation_id: correlationId, payload = {} } = value
  if (!isText(id) || id === '' || id.length > longestId) {
    return { problem: `An envelope has an id of 1 to ${longestId} characters.` }
  }
  if (protocol !== protocolName) return { problem: `The protocol must be ${protocolName}.`, id }
  if (typeof from !== 'string') return { problem: 'An envelope names its sender in `from`.', id }
  if (!Array.isArray(to) || to.length > mostRecipients || !to.every((one) => typeof one === 'string')) {
    return { problem: 'An envelope lists in `to` whom it is for.', id }
  }
  if (typeof kind !== 'string') return { problem: 'An envelope has a kind, such as mcp.', id }
  if (correlationId !== undefined && typeof correlationId !== 'string') {
    return { problem: 'A correlation_id is text.', id }
  }
  if (!isPlainObject(payload)) return { problem: 'The payload is a JSON object.', id }
  if (Object.hasOwn(value, chainKey)) return { problem: `Only the hub writes the key "${chainKey}".`, id }
  const one = inOneWay(text)
  return { id, from, to, kind, ...(correlationId !== undefined && { correlationId }), payload, text: one }
}

/** By these the hub decides. Another reader may take the first of two, where `JSON.parse` takes the last. */
const decisive = ['"from"', '"payload"', '"method"', '"params"', '"name"', '"arguments"']
/** A letter that is written by its number, so that a name has more than one spelling. */
const escapedLetter = /\\u00[4-7]/i

function inOneWay(text: string): string {
  const isPlain = decisive.every((name) => text.indexOf(name) === text.lastIndexOf(name)) && !escapedLetter.test(text)
  return isPlain ? text : writeJson(parseJson(text) as Json)
}

/** Reads the payload of an `mcp` envelope. Undefined: it is no JSON-RPC message. */
export function readRpc(payload: Readonly<Record<string, unknown>>): RpcMessage | undefined {
  const { jsonrpc, id, method, params, result, error } = payload
  if (jsonrpc !== '2.0') return undefined
  const isId = typeof id === 'string' || typeof id === 'number'
  if (typeof method === 'string') {
    if (id === undefined) return { kind: 'notification', method }
    return isId ? { kind: 'request', id, method, params: isPlainObject(params) ? params : {} } : undefined
  }
  if (!isId || (result === undefined) === (error === undefined)) return undefined
  return { kind: 'response', id, isError: error !== undefined }
}

/** The payload of an envelope with numbers as they were written, for what is judged, changed or kept. */
export function exactPayload(text: string): JsonObject {
  return (parseJson(text) as { payload: JsonObject }).payload
}

/** Equal for the same JSON-RPC id only: the number 1 is another id than the text "1". */
export function rpcKey(id: MessageId): string {
  return JSON.stringify(id)
}
