import type { IncomingHttpHeaders } from 'node:http'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { RpcId } from '../../upstream/upstream.ts'
import { perRequestRevision } from '../../upstream/wire/per-request.ts'

/** A tools/call in which nothing is out of the ordinary. */
export interface PlainCall {
  readonly id: RpcId
  readonly name: string
  readonly given: JsonObject
  /** What else is in `_meta`, for the upstream. */
  readonly meta: JsonObject | undefined
  /** 2026-07-28 only: what the client says of itself in `_meta`. */
  readonly envelope?: JsonObject
  /** 2026-07-28 only: the client comes back to a call that asked, mostly with answers. */
  readonly retry?: Retry
}

/** What a client sends along when it calls again. */
export interface Retry {
  readonly requestState: string
  readonly inputResponses: JsonObject | undefined
}

const envelopePrefix = 'io.modelcontextprotocol/'
const envelopeKeys = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY])
const messageKeys = new Set(['jsonrpc', 'id', 'method', 'params'])
const paramKeys = new Set(['name', 'arguments', '_meta', 'requestState', 'inputResponses'])
const answerKeys = new Set(['action', 'content'])

/**
 * Reads a call narrowly: undefined for anything that the SDK server might refuse or read in another way. `headers` are
 * those of HTTP, and undefined on a pipe.
 */
export function readCall(
  body: Record<string, unknown>,
  headers: IncomingHttpHeaders | undefined,
): PlainCall | undefined {
  const { jsonrpc, id, method, params } = body
  if (method !== 'tools/call' || jsonrpc !== '2.0' || !isId(id) || !hasOnly(body, messageKeys)) return undefined
  if (headers !== undefined && (!acceptsBoth(headers.accept) || repeatsArguments(headers))) return undefined
  if (!isPlainObject(params) || !hasOnly(params, paramKeys)) return undefined
  const { name, arguments: given = {}, _meta = {} } = params
  if (typeof name !== 'string' || !isPlainObject(given) || !isPlainObject(_meta)) return undefined
  // The SDK server drops an argument of this name, and so do some upstreams.
  if (Object.hasOwn(given, '__proto__')) return undefined
  const meta = metaIn(_meta)
  const retry = retryIn(params)
  if (meta === 'unknown' || retry === 'unknown') return undefined
  const call = { id, name, given: given as JsonObject, meta }
  if (!(PROTOCOL_VERSION_META_KEY in _meta)) {
    return retry !== undefined || Object.keys(_meta).some(isEnvelope) ? undefined : call
  }
  const envelope = envelopeIn(_meta)
  if (envelope === undefined || _meta[PROTOCOL_VERSION_META_KEY] !== perRequestRevision) return undefined
  if (headers !== undefined && !agree(headers, name)) return undefined
  return retry === undefined ? { ...call, envelope } : { ...call, envelope, retry }
}

/** Only answers to forms, with the state that they belong to. */
function retryIn({ requestState, inputResponses }: Record<string, unknown>): Retry | undefined | 'unknown' {
  if (requestState === undefined && inputResponses === undefined) return undefined
  if (typeof requestState !== 'string') return 'unknown'
  if (inputResponses === undefined) return { requestState, inputResponses }
  if (!isPlainObject(inputResponses) || Object.hasOwn(inputResponses, '__proto__')) return 'unknown'
  for (const key in inputResponses) {
    const answer = inputResponses[key]
    if (!isPlainObject(answer) || typeof answer.action !== 'string' || !hasOnly(answer, answerKeys)) return 'unknown'
  }
  return { requestState, inputResponses: inputResponses as JsonObject }
}

function metaIn(_meta: Record<string, unknown>): JsonObject | undefined | 'unknown' {
  let meta: JsonObject | undefined
  for (const key in _meta) {
    if (envelopeKeys.has(key)) continue
    if (isEnvelope(key)) return 'unknown'
    meta ??= {}
    meta[key] = _meta[key] as JsonObject
  }
  if (meta?.progressToken !== undefined && !isId(meta.progressToken)) return 'unknown'
  return meta
}

/** Whether the headers of 2026-07-28 say what the body says (H26-03, H26-04). Encoded names are left to the SDK server. */
function agree(headers: IncomingHttpHeaders, name: string): boolean {
  if (headers['mcp-protocol-version'] !== perRequestRevision || headers['mcp-method'] !== 'tools/call') return false
  if (headers['mcp-name'] !== name || headers['mcp-session-id'] !== undefined) return false
  return true
}

/** Headers that repeat arguments are compared and passed on by the SDK server's handler. */
function repeatsArguments(headers: IncomingHttpHeaders): boolean {
  for (const header in headers) if (header.startsWith('mcp-param-')) return true
  return false
}

function envelopeIn(_meta: Record<string, unknown>): JsonObject | undefined {
  const info = _meta[CLIENT_INFO_META_KEY]
  const capabilities = _meta[CLIENT_CAPABILITIES_META_KEY]
  if (!isPlainObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return undefined
  for (const key in info) if (typeof info[key] !== 'string') return undefined
  if (!isPlainObject(capabilities)) return undefined
  for (const key in capabilities) if (!isKnownCapability(key, capabilities[key])) return undefined
  return { [CLIENT_INFO_META_KEY]: info as JsonObject, [CLIENT_CAPABILITIES_META_KEY]: capabilities as JsonObject }
}

function isKnownCapability(name: string, value: unknown): boolean {
  if (!isPlainObject(value)) return false
  if (name === 'roots') return Object.keys(value).length === 0
  if (name !== 'elicitation' && name !== 'sampling') return false
  for (const key in value) {
    const mode = value[key]
    if (!isPlainObject(mode) || Object.keys(mode).length > 0) return false
  }
  return true
}

function acceptsBoth(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream')
}

function hasOnly(object: Record<string, unknown>, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false
  return true
}

const isEnvelope = (key: string) => key.startsWith(envelopePrefix)

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}
