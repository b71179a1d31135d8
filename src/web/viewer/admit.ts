import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { viewerOf } from './find-viewer.ts'
import type { Viewer } from './viewer.ts'

/** The one who looks, if we know them; else the answer that sends them to where they can show who they are. */
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

/** The address of this very page, as a path. */
export function pathOfRequest({ req }: WebContext): string {
  return `${req.path}${new URL(req.url).search}`
}

/** They come back to the page they wanted; what they posted does not. */
function redirectToLogin(c: WebContext): Response {
  return c.redirect(`/login?next=${encodeURIComponent(pathOfRequest(c))}`, 303)
}

/** Someone was not let in: that is for the audit, whatever they are told. */
export async function recordPageRefusal(c: WebContext, reason: string, about?: string): Promise<void> {
  const { site, viewer } = c.var
  await site.assent.record({
    kind: 'page-refused',
    ...(viewer && { who: viewer.participant }),
    ...(about !== undefined && { about }),
    data: { reason, method: c.req.method },
  })
}
