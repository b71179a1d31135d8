import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { viewerOf } from './find-viewer.ts'
import type { Viewer } from './viewer.ts'

/** The one who looks, if we know them; else the answer that sends them to where they can show who they are. */
export async function admit(c: WebContext, about?: string): Promise<Viewer | Response> {
  const viewer = await viewerOf(c)
  if (viewer === undefined) return turnAway(c, about)
  c.set('viewer', viewer)
  return viewer
}

async function turnAway(c: WebContext, about: string | undefined): Promise<Response> {
  const { assent, isLocal } = c.var.site
  if (isLocal) {
    await recordRefusal(c, 'not-enrolled', about)
    return notice(c, 403, { kind: 'enroll-first' })
  }
  if (c.req.method === 'POST') await recordRefusal(c, 'not-signed-in', about)
  if (assent.login?.onPages !== undefined) return toLogin(c)
  if (c.req.method !== 'POST') await recordRefusal(c, 'not-signed-in', about)
  return notice(c, 403, { kind: 'sign-in' })
}

/** The address of this very page, as a path. */
export function addressOf({ req }: WebContext): string {
  return `${req.path}${new URL(req.url).search}`
}

/** They come back to the page they wanted; what they posted does not. */
function toLogin(c: WebContext): Response {
  return c.redirect(`/login?next=${encodeURIComponent(addressOf(c))}`, 303)
}

/** Someone was not let in: that is for the audit, whatever they are told. */
export async function recordRefusal(c: WebContext, reason: string, about?: string): Promise<void> {
  const { site, viewer } = c.var
  await site.assent.record({
    kind: 'page-refused',
    ...(viewer && { who: viewer.participant }),
    ...(about !== undefined && { about }),
    data: { reason, method: c.req.method },
  })
}
