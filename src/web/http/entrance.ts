import type { MiddlewareHandler } from 'hono'
import { isLocalSocket, wasForwarded } from '../../base/request-source.ts'
import { tokenOf, tooManyCalls } from '../api/program.ts'
import { notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { personOf } from '../viewer/find-viewer.ts'
import { clientNetwork, socketAddress } from './address.ts'

/** Refuses requests by Host header, socket and rate, before their body is read. */
export const guardEntrance: MiddlewareHandler<WebEnv> = async (c, next) => {
  const { site } = c.var
  if (!site.isHostAccepted(c.req.raw)) {
    return notice(c, 403, { kind: 'not-found', detail: `These pages are served at ${site.assent.pages.publicUrl}.` })
  }
  if (site.isLocal && isFromAnotherMachine(c)) {
    return notice(c, 403, {
      kind: 'not-found',
      detail: 'Without a login, these pages serve only the machine they run on.',
    })
  }
  const isApi = c.req.path.startsWith('/api/')
  // A program with a token is known, and counted by that token where it is admitted.
  if (isApi && (await tokenOf(c)) !== undefined) return next()
  const seconds = await secondsToWait(c)
  if (seconds === undefined) return next()
  return isApi ? tooManyCalls(c, seconds) : tooMany(c, seconds)
}

/** Strangers are counted by where they come from, so that they cannot use up what people who are known may do. */
async function secondsToWait(c: WebContext): Promise<number | undefined> {
  const { rates } = c.var.site
  const person = await personOf(c)
  return person === undefined ? rates.address(clientNetwork(c)) : rates.person(person)
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
