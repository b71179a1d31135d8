import type { IncomingHttpHeaders } from 'node:http'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server'
import { isPlainObject, type JsonObject } from '../../../base/json.ts'
import type { ClientInfo } from '../../../mcp/quirks.ts'
import type { RpcId } from '../../upstream/upstream.ts'
import { perRequestRevision } from '../../upstream/wire/per-request.ts'

/** A tools/call in which nothing is out of the ordinary. */
export interface PlainCall {
  readonly id: RpcId
  readonly name: string
  readonly given: JsonObject
  /** What the client wrote besides, and its upstream may read. */
  readonly meta: JsonObject | undefined
  /** There on a call of 2026-07-28 alone. */
  readonly client?: { readonly info: ClientInfo; readonly capabilities: JsonObject }
}

const envelopePrefix = 'io.modelcontextprotocol/'
const envelopeKeys = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY])
const messageKeys = new Set(['jsonrpc', 'id', 'method', 'params'])
const paramKeys = new Set(['name', 'arguments', '_meta'])

/** Reads a call, and is narrow: undefined for whatever somebody might refuse, or understand in another way. */
export function readCall(body: Record<string, unknown>, headers: IncomingHttpHeaders): PlainCall | undefined {
  const { jsonrpc, id, method, params } = body
  if (method !== 'tools/call' || jsonrpc !== '2.0' || !isId(id) || !hasOnly(body, messageKeys)) return undefined
  if (!acceptsBoth(headers.accept) || !isPlainObject(params) || !hasOnly(params, paramKeys)) return undefined
  const { name, arguments: given = {}, _meta = {} } = params
  if (typeof name !== 'string' || !isPlainObject(given) || !isPlainObject(_meta)) return undefined
  const meta = metaIn(_meta)
  if (meta === 'unknown') return undefined
  const call = { id, name, given: given as JsonObject, meta }
  if (!(PROTOCOL_VERSION_META_KEY in _meta)) return Object.keys(_meta).some(isEnvelope) ? undefined : call
  const client = clientIn(_meta)
  return client !== undefined && agree(headers, name, _meta) ? { ...call, client } : undefined
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

/** The headers of 2026-07-28 say what the body says (H26-03, H26-04). A name that is encoded is left to others. */
function agree(headers: IncomingHttpHeaders, name: string, _meta: Record<string, unknown>): boolean {
  if (_meta[PROTOCOL_VERSION_META_KEY] !== perRequestRevision) return false
  if (headers['mcp-protocol-version'] !== perRequestRevision || headers['mcp-method'] !== 'tools/call') return false
  if (headers['mcp-name'] !== name || headers['mcp-session-id'] !== undefined) return false
  for (const header in headers) if (header.startsWith('mcp-param-')) return false
  return true
}

function clientIn(_meta: Record<string, unknown>): PlainCall['client'] {
  const info = _meta[CLIENT_INFO_META_KEY]
  const capabilities = _meta[CLIENT_CAPABILITIES_META_KEY]
  if (!isPlainObject(info) || typeof info.name !== 'string' || typeof info.version !== 'string') return undefined
  for (const key in info) if (typeof info[key] !== 'string') return undefined
  if (!isPlainObject(capabilities)) return undefined
  for (const key in capabilities) if (!isKnownCapability(key, capabilities[key])) return undefined
  return { info: info as unknown as ClientInfo, capabilities: capabilities as JsonObject }
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
