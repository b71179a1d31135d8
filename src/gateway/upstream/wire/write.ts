import { type JsonObject, writeJson } from '../../../base/json.ts'
import { codes } from '../../../mcp/codes.ts'
import type { PendingRequest } from '../pending-request.ts'
import type { DownstreamClient, Implementation } from '../upstream.ts'
import { isObject } from './message.ts'
import { metaPrefix, perRequestRevision } from './per-request.ts'

/** Serialises a request. If it is nested too deeply, ends it with an error and returns undefined. */
export function writeRequest(pending: PendingRequest, perRequest: boolean, self: Implementation): string | undefined {
  try {
    return wireRequest(pending, perRequest, self)
  } catch {
    pending.end({
      kind: 'error',
      error: { code: codes.invalidParams, message: 'The parameters are nested too deeply.' },
    })
    return undefined
  }
}

/** The request with an id and a progress token of our own, and the `_meta` keys of its revision. */
function wireRequest(pending: PendingRequest, perRequest: boolean, self: Implementation): string {
  const { method, params } = pending.request
  const given = withOwnProgressToken(params, pending)
  const written = perRequest ? withEnvelope(given, pending.request, self) : writeJson(withoutEnvelope(given))
  return `{"jsonrpc":"2.0","id":${JSON.stringify(pending.id)},"method":${JSON.stringify(method)},"params":${written}}`
}

function withOwnProgressToken(params: JsonObject, pending: PendingRequest): JsonObject {
  if (pending.callerToken === undefined) return params
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), progressToken: pending.id } }
}

/** The notification by which the upstream learns that this request was cancelled. */
export function cancelNotice(pending: PendingRequest): JsonObject {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: pending.id, reason: 'The client cancelled the request.' },
  }
}

/**
 * Adds the `_meta` keys that 2026-07-28 requires in each request: version, capabilities, client info (B26-08, B26-09).
 * Parameters without a `_meta` of their own get a text that is written once for each client.
 */
function withEnvelope(params: JsonObject, client: DownstreamClient, self: Implementation): string {
  const { _meta } = params
  if (_meta !== undefined)
    return writeJson({ ...params, _meta: { ...(isObject(_meta) && _meta), ...envelope(client, self) } })
  const written = writeJson(params)
  const comma = written === '{}' ? '' : ','
  return `${written.slice(0, -1)}${comma}"_meta":${writtenEnvelope(client, self)}}`
}

function envelope({ clientInfo, capabilities }: DownstreamClient, self: Implementation): JsonObject {
  return {
    [`${metaPrefix}protocolVersion`]: perRequestRevision,
    [`${metaPrefix}clientInfo`]: clientInfo ?? self,
    [`${metaPrefix}clientCapabilities`]: capabilities,
  }
}

/** What was written for a client, by the object of its capabilities: each call of a client brings the same one. */
const envelopes = new WeakMap<JsonObject, { readonly info: Implementation; readonly text: string }>()

function writtenEnvelope(client: DownstreamClient, self: Implementation): string {
  const info = client.clientInfo ?? self
  const known = envelopes.get(client.capabilities)
  if (known?.info === info) return known.text
  const text = writeJson(envelope(client, self))
  envelopes.set(client.capabilities, { info, text })
  return text
}

/** Removes the `_meta` keys of 2026-07-28. A 2025 upstream gets the same facts in its handshake. */
function withoutEnvelope(params: JsonObject): JsonObject {
  const meta = params._meta
  if (!isObject(meta) || !Object.keys(meta).some((key) => key.startsWith(metaPrefix))) return params
  const { _meta, ...rest } = params
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(metaPrefix))
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest
}
