import { type JsonObject, writeJson } from '../../../base/json.ts'
import { codes } from '../../../mcp/codes.ts'
import type { PendingRequest } from '../pending-request.ts'
import type { Implementation } from '../upstream.ts'
import { isObject } from './message.ts'
import { withEnvelope, withoutEnvelope } from './per-request.ts'

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
