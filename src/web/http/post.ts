import { posted } from '../pages/props.ts'
import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { pathOfRequest, recordPageRefusal } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'
import { readFormBody } from './body.ts'
import { isCrossSite, isCsrfOf } from './csrf.ts'

/** The posted form, if a page shown in this browser sent it; otherwise the response that refuses it. */
export async function readPost(c: WebContext, { cookie }: Viewer, about?: string): Promise<FormData | Response> {
  const form = await readForm(c, about)
  if (form instanceof Response || isCsrfOf(cookie, form.get(posted.csrf))) return form
  await recordPageRefusal(c, 'form-old', about)
  return formExpired(c)
}

/** Like `readPost` but without the token, for a browser that is not known yet. */
export async function readForm(c: WebContext, about?: string): Promise<FormData | Response> {
  if (isCrossSite(c)) {
    await recordPageRefusal(c, 'cross-site', about)
    return formExpired(c)
  }
  const form = await readFormBody(c.req.raw, c.var.site.limits.bodyBytes)
  if (form === 'too-large') return notice(c, 413, { kind: 'broken', detail: 'The form is too large. Send less text.' })
  return form === 'no-form' ? notice(c, 400, { kind: 'form-old' }) : form
}

function formExpired(c: WebContext): Response | Promise<Response> {
  return notice(c, 403, { kind: 'form-old', next: { href: pathOfRequest(c), label: 'Open the page again' } })
}
