import {
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isPlainObject } from '../../base/json.ts'

/** Which way a POSTed message is served: 2025 sessions are `legacy`, 2026-07-28 and all it refuses is `modern`. */
export type Era = 'legacy' | 'modern'

/** Decides as the SDK's classification does, without its cost where the message leaves no doubt. */
export function eraOf(body: unknown, headers: Headers): Era {
  const version = headers.get('mcp-protocol-version')
  if (isPlainObject(body) && typeof body.method === 'string' && body.method !== 'initialize') {
    if (claimsEnvelope(body.params)) return 'modern'
    if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return 'legacy'
  }
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version !== null && { protocolVersionHeader: version }),
  })
  return outcome.kind === 'legacy' ? 'legacy' : 'modern'
}

function claimsEnvelope(params: unknown): boolean {
  return isPlainObject(params) && isPlainObject(params._meta) && PROTOCOL_VERSION_META_KEY in params._meta
}
