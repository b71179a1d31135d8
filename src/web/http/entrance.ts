import type { MiddlewareHandler } from 'hono'
import { isLocalSocket, wasForwarded } from '../../base/request-source.ts'
import { notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { clientAddress, socketAddress } from './address.ts'

/** Turns away who may not come in at all, before anything is read or looked up for them. */
export const guardEntrance: MiddlewareHandler<WebEnv> = async (c, next) => {
  const { site } = c.var
  const seconds = await site.rates.address(clientAddress(c))
  if (seconds !== undefined) return tooMany(c, seconds)
  if (!site.isHostAccepted(c.req.raw)) {
    return notice(c, 403, { kind: 'not-found', detail: `These pages are at ${site.assent.pages.publicUrl}.` })
  }
  if (site.isLocal && isFromAnotherMachine(c)) {
    return notice(c, 403, { kind: 'not-found', detail: 'These pages serve the machine they run on, and no other.' })
  }
  return next()
}

/** A socket that nobody can see is for whoever mounted us to judge. */
function isFromAnotherMachine(c: WebContext): boolean {
  if (wasForwarded(c.req.raw)) return true
  return c.env?.incoming !== undefined && !isLocalSocket(socketAddress(c))
}

export function tooMany(c: WebContext, seconds: number): Response | Promise<Response> {
  c.header('Retry-After', String(seconds))
  return notice(c, 429, { kind: 'too-many' })
}
