import { ProtocolError } from '@modelcontextprotocol/server'
import type { RequestContext } from '../../asking/context.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { codes, isReserved } from '../../mcp/codes.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { UpstreamError } from '../upstream/upstream.ts'

/** The client that gets an error. Its revision and capabilities decide how. */
export type Hearer = Pick<RequestContext, 'revision' | 'capabilities'>

/**
 * An upstream's error as the client gets it. Errors about the connection between gateway and upstream (headers, version,
 * declared capabilities) mean nothing to the client, and are told in the gateway's own words (B26-05, B26-10). So is the
 * code of our own refusals, which only the gateway gives.
 */
export function upstreamError(server: string, { error }: UpstreamError, hearer?: Hearer): AskRefused | ProtocolError {
  const { code, message, data } = error
  if (code === codes.missingCapability) return lacking(server, data, hearer)
  if (code === codes.resourceNotFound && isPerRequest(hearer?.revision))
    return new ProtocolError(codes.invalidParams, message, data)
  if (code === codes.urlRequired && hearer?.revision === '2025-11-25' && namesPages(data))
    return new ProtocolError(code, message, data)
  if (isReserved(code) || code === codes.refused)
    return new AskRefused('failed', `${server} failed: ${message} (${code})`, 'upstream-error')
  return new ProtocolError(code, message, data)
}

/** A 2026 client that lacks a capability is told which. Any other client could do nothing about it. */
function lacking(server: string, data: unknown, hearer: Hearer | undefined): AskRefused | ProtocolError {
  const message = `${server} needs capabilities that this client does not have`
  const required = isPlainObject(data) && isPlainObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  const missing = hearer === undefined ? {} : without(required as JsonObject, hearer.capabilities)
  if (!isPerRequest(hearer?.revision) || Object.keys(missing).length === 0)
    return new AskRefused('cannot-ask', `${message}.`, 'upstream-needs-more')
  return new ProtocolError(codes.missingCapability, message, { requiredCapabilities: missing })
}

/** The required capabilities that were not declared, down to their modes. */
function without(required: JsonObject, declared: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(required).flatMap(([name, wanted]) => {
      const had = declared[name]
      if (had === undefined || !isPlainObject(wanted)) return had === undefined ? [[name, wanted]] : []
      const left = without(wanted as JsonObject, isPlainObject(had) ? (had as JsonObject) : {})
      return Object.keys(left).length === 0 ? [] : [[name, left]]
    }),
  )
}

function namesPages(data: unknown): boolean {
  return isPlainObject(data) && Array.isArray(data.elicitations) && data.elicitations.length > 0
}
