import { posted } from '../pages/props.ts'
import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { pathOfRequest, recordPageRefusal } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { readFormBody } from './body.ts'
import { isCrossSite, isCsrfOf } from './csrf.ts'

/** What was posted, if a page of ours in this very browser sent it; else the answer that says it does not count. */
export async function readPost(c: WebContext, { cookie }: Viewer, about?: string): Promise<FormData | Response> {
  const form = await readForm(c, about)
  if (form instanceof Response || isCsrfOf(cookie, form.get(posted.csrf))) return form
  await recordPageRefusal(c, 'form-old', about)
  return formExpired(c)
}

/** As `readPost`, for someone whom we cannot know yet. */
export async function readForm(c: WebContext, about?: string): Promise<FormData | Response> {
  if (isCrossSite(c)) {
    await recordPageRefusal(c, 'cross-site', about)
    return formExpired(c)
  }
  const form = await readFormBody(c.req.raw, c.var.site.limits.bodyBytes)
  if (form === 'too-large') return notice(c, 413, { kind: 'broken', detail: 'What was sent is too large.' })
  return form === 'no-form' ? notice(c, 400, { kind: 'form-old' }) : form
}

function formExpired(c: WebContext): Response | Promise<Response> {
  return notice(c, 403, { kind: 'form-old', next: { href: pathOfRequest(c), label: 'Open the page again' } })
}
