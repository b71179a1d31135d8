import type { JsonObject } from '../../../base/json.ts'
import type { Flight } from '../pending-request.ts'
import type { ClientInfo } from '../upstream.ts'
import { isObject } from './message.ts'
import { withEnvelope, withoutEnvelope } from './per-request.ts'

/** A request as it goes out, or undefined where it is nested too deeply to be written: it then has ended. */
export function writeRequest(flight: Flight, perRequest: boolean, self: ClientInfo): string | undefined {
  try {
    return JSON.stringify(wireRequest(flight, perRequest, self))
  } catch {
    flight.end({ kind: 'error', error: { code: -32602, message: 'The parameters are nested too deeply.' } })
    return undefined
  }
}

/** Our id, our progress token, and what its revision wants in `_meta`. */
function wireRequest(flight: Flight, perRequest: boolean, self: ClientInfo): JsonObject {
  const { method, params } = flight.request
  const given = tokenMapped(params, flight)
  return {
    jsonrpc: '2.0',
    id: flight.id,
    method,
    params: perRequest ? withEnvelope(given, flight.request, self) : withoutEnvelope(given),
  }
}

function tokenMapped(params: JsonObject, flight: Flight): JsonObject {
  if (flight.callerToken === undefined) return params
  return { ...params, _meta: { ...(isObject(params._meta) && params._meta), progressToken: flight.id } }
}

/** Tells the upstream that nobody waits for this request any more. */
export function cancelled(flight: Flight): JsonObject {
  return {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: flight.id, reason: 'The client wants no answer any more.' },
  }
}
