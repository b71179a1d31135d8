import { clientNetwork } from '../http/address.ts'
import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { viewerOf } from './find-viewer.ts'
import type { Viewer } from './viewer.ts'

/** The person behind this request; otherwise the response that refuses them or sends them to sign in. */
export async function admit(c: WebContext, about?: string): Promise<Viewer | Response> {
  const viewer = await viewerOf(c)
  if (viewer === undefined) return refuseEntry(c, about)
  c.set('viewer', viewer)
  return viewer
}

async function refuseEntry(c: WebContext, about: string | undefined): Promise<Response> {
  const { assent, isLocal } = c.var.site
  if (isLocal) {
    await recordPageRefusal(c, 'not-enrolled', about)
    return notice(c, 403, { kind: 'enroll-first' })
  }
  if (c.req.method === 'POST') await recordPageRefusal(c, 'not-signed-in', about)
  if (assent.login?.onPages !== undefined) return redirectToLogin(c)
  if (c.req.method !== 'POST') await recordPageRefusal(c, 'not-signed-in', about)
  return notice(c, 403, { kind: 'sign-in' })
}

/** The path and query of this request. */
export function pathOfRequest({ req }: WebContext): string {
  return `${req.path}${new URL(req.url).search}`
}

/** After signing in the person returns to this page. What they posted is lost. */
function redirectToLogin(c: WebContext): Response {
  return c.redirect(`/login?next=${encodeURIComponent(pathOfRequest(c))}`, 303)
}

/**
 * Records in the audit that a page was refused, whatever the browser is told. What one address of a stranger is refused
 * again within a minute is one event, with a count: nobody may fill the audit who is not known.
 */
export async function recordPageRefusal(c: WebContext, reason: string, about?: string): Promise<void> {
  const { site, viewer } = c.var
  const tell = (count: number) => {
    site.assent.record({ kind: 'page-refused', data: { reason, count } }).catch(site.onError)
  }
  if (viewer === undefined && !site.repeats.isFirst(`${reason} ${clientNetwork(c)}`, tell)) return
  await site.assent.record({
    kind: 'page-refused',
    ...(viewer && { who: viewer.participant }),
    ...(about !== undefined && { about }),
    data: { reason, method: c.req.method },
  })
}
