import { type JsonObject, writeJson } from '../../../base/json.ts'
import { codes } from '../../../mcp/codes.ts'
import type { PendingRequest } from '../pending-request.ts'
import type { DownstreamClient, Implementation } from '../upstream.ts'
import { isObject } from './message.ts'
import { metaPrefix, perRequestRevision } from './per-request.ts'

/** Serialises a request. If it is nested too deeply, ends it with an error and returns undefined. */
export function writeRequest(pending: PendingRequest, perRequest: boolean, self: Implementation): string | undefined {
  try {
    return writeJson(wireRequest(pending, perRequest, self))
  } catch {
    pending.end({
      kind: 'error',
      error: { code: codes.invalidParams, message: 'The parameters are nested too deeply.' },
    })
    return undefined
  }
}

/** The request with an id and a progress token of our own, and the `_meta` keys of its revision. */
function wireRequest(pending: PendingRequest, perRequest: boolean, self: Implementation): JsonObject {
  const { method, params } = pending.request
  const given = withOwnProgressToken(params, pending)
  return {
    jsonrpc: '2.0',
    id: pending.id,
    method,
    params: perRequest ? withEnvelope(given, pending.request, self) : withoutEnvelope(given),
  }
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
 */
function withEnvelope(params: JsonObject, client: DownstreamClient, self: Implementation): JsonObject {
  return {
    ...params,
    _meta: {
      ...(isObject(params._meta) && params._meta),
      [`${metaPrefix}protocolVersion`]: perRequestRevision,
      [`${metaPrefix}clientInfo`]: client.clientInfo ?? self,
      [`${metaPrefix}clientCapabilities`]: client.capabilities,
    },
  }
}

/** Removes the `_meta` keys of 2026-07-28. A 2025 upstream gets the same facts in its handshake. */
function withoutEnvelope(params: JsonObject): JsonObject {
  const meta = params._meta
  if (!isObject(meta) || !Object.keys(meta).some((key) => key.startsWith(metaPrefix))) return params
  const { _meta, ...rest } = params
  const kept = Object.entries(meta).filter(([key]) => !key.startsWith(metaPrefix))
  return kept.length > 0 ? { ...rest, _meta: Object.fromEntries(kept) } : rest
}
