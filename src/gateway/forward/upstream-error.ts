import { ProtocolError } from '@modelcontextprotocol/server'
import type { RequestContext } from '../../asking/context.ts'
import { isPlainObject, type JsonObject } from '../../base/json.ts'
import { codes, isReserved } from '../../mcp/codes.ts'
import { AskRefused } from '../../mcp/refusal.ts'
import { isPerRequest } from '../../mcp/revision.ts'
import type { UpstreamError } from '../upstream/upstream.ts'

/** Who hears of an error: what is said to one client is not said to another. */
export type Hearer = Pick<RequestContext, 'revision' | 'capabilities'>

/**
 * An error of the upstream's own, handed on as it is. What it says of its way to us (its headers, its version, what we
 * declared) says nothing of the client's way here, and is told in our own words (B26-05, B26-10).
 */
export function upstreamError(server: string, { error }: UpstreamError, hearer?: Hearer): AskRefused | ProtocolError {
  const { code, message, data } = error
  if (code === codes.missingCapability) return lacking(server, data, hearer)
  if (code === codes.resourceNotFound && isPerRequest(hearer?.revision))
    return new ProtocolError(codes.invalidParams, message, data)
  if (code === codes.urlRequired && hearer?.revision === '2025-11-25' && namesPages(data))
    return new ProtocolError(code, message, data)
  if (isReserved(code)) return new AskRefused('failed', `${server} failed: ${message} (${code})`, 'upstream-error')
  return new ProtocolError(code, message, data)
}

/** A client of 2026 can be told what to declare, if it did not; nobody else can do anything about it. */
function lacking(server: string, data: unknown, hearer: Hearer | undefined): AskRefused | ProtocolError {
  const message = `${server} needs a client that can do more`
  const required = isPlainObject(data) && isPlainObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  const missing = hearer === undefined ? {} : without(required as JsonObject, hearer.capabilities)
  if (!isPerRequest(hearer?.revision) || Object.keys(missing).length === 0)
    return new AskRefused('cannot-ask', `${message}.`, 'upstream-needs-more')
  return new ProtocolError(codes.missingCapability, message, { requiredCapabilities: missing })
}

/** What is asked for and not declared, down to the modes of a capability. */
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
