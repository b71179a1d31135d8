import {
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import { isPlainObject } from '../../base/json.ts'

/** How a POSTed message is served: on a 2025 session (`legacy`), or as 2026-07-28, which also makes the refusals (`modern`). */
export type Era = 'legacy' | 'modern'

/** Classifies as the SDK does, but skips the SDK's costly checks where the message is unambiguous. */
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
