import type { JsonObject } from '../../../base/json.ts'
import type { PendingRequest } from '../pending-request.ts'
import type { ClientInfo } from '../upstream.ts'
import { isObject } from './message.ts'
import { withEnvelope, withoutEnvelope } from './per-request.ts'

/** A request as it goes out, or undefined where it is nested too deeply to be written: it then has ended. */
export function writeRequest(pending: PendingRequest, perRequest: boolean, self: ClientInfo): string | undefined {
  try {
    return JSON.stringify(wireRequest(pending, perRequest, self))
  } catch {
    pending.end({ kind: 'error', error: { code: -32602, message: 'The parameters are nested too deeply.' } })
    return undefined
  }
}

/** Our id, our progress token, and what its revision wants in `_meta`. */
function wireRequest(pending: PendingRequest, perRequest: boolean, self: ClientInfo): JsonObject {
  const { method, params } = pending.request
  const given = tokenMapped(params, pending)
  return {
    jsonrpc: '2.0',
    id: pending.id,
    method,
    params: perRequest ? withEnvelope(given, pending.request, self) : withoutEnvelope(given),
  }
}

function tokenMapped(params: JsonObject, pending: PendingRequest): JsonObject {
  if (pending.callerToken === undefined) return params
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), progressToken: pending.id } }
}

/** Tells the upstream that nobody waits for this request any more. */
export function cancelled(pending: PendingRequest): JsonObject {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: pending.id, reason: 'The client wants no answer any more.' },
  }
}
