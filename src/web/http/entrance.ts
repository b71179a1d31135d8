import type { MiddlewareHandler } from 'hono'
import { isLocalSocket, wasForwarded } from '../../base/request-source.ts'
import { notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { clientAddress, socketAddress } from './address.ts'

/** Refuses requests by rate, Host header and socket, before anything is read or looked up. */
export const guardEntrance: MiddlewareHandler<WebEnv> = async (c, next) => {
  const { site } = c.var
  const seconds = await site.rates.address(clientAddress(c))
  if (seconds !== undefined) return tooMany(c, seconds)
  if (!site.isHostAccepted(c.req.raw)) {
    return notice(c, 403, { kind: 'not-found', detail: `These pages are served at ${site.assent.pages.publicUrl}.` })
  }
  if (site.isLocal && isFromAnotherMachine(c)) {
    return notice(c, 403, {
      kind: 'not-found',
      detail: 'Without a login, these pages serve only the machine they run on.',
    })
  }
  return next()
}

/** Where the socket is not known, the server that mounts the pages must check it. */
function isFromAnotherMachine(c: WebContext): boolean {
  if (wasForwarded(c.req.raw)) return true
  return c.env?.incoming !== undefined && !isLocalSocket(socketAddress(c))
}

export function tooMany(c: WebContext, seconds: number): Response | Promise<Response> {
  c.header('Retry-After', String(seconds))
  return notice(c, 429, { kind: 'too-many' })
}
