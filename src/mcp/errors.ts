import { ProtocolError } from '@modelcontextprotocol/server'
import type { AssentError, AssentErrorCode } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { codes } from './codes.ts'
import { AskRefused } from './refusal.ts'

/** Translates an error of Assent into the JSON-RPC error that the other side of an MCP connection gets. */
export function protocolErrorFrom(error: AssentError): ProtocolError {
  const data = dataOf(error)
  return data === undefined
    ? new ProtocolError(codeOf(error.code), error.message)
    : new ProtocolError(codeOf(error.code), error.message, data)
}

function dataOf(error: AssentError): JsonObject | undefined {
  if (error instanceof AskRefused) return { status: error.status, reason: error.reason }
  return error.code === 'state_refused' ? { reason: 'invalid_request_state' } : undefined
}

/** The JSON-RPC code for each of Assent's error codes. */
export function codeOf(code: AssentErrorCode): number {
  switch (code) {
    case 'ask_refused':
    case 'too_many_open':
      return codes.refused
    // The request itself is wrong: sent again, it fails again.
    case 'bad_question':
    case 'form_asks_secret':
    case 'form_refused':
    case 'not_found':
    case 'state_refused':
      return codes.invalidParams
    case 'asked_differently':
    case 'bad_argument':
    case 'bad_config':
    case 'bad_keys':
    case 'bad_policy':
    case 'bad_store_url':
    case 'channel_refused':
    case 'driver_missing':
    case 'key_in_use':
    case 'key_missing':
    case 'login_unavailable':
    case 'participant_mismatch':
    case 'provider_unavailable':
    case 'provider_unknown':
    case 'schema_newer':
    case 'seal_broken':
    case 'store_damaged':
    case 'store_unavailable':
      return codes.internalError
  }
}
