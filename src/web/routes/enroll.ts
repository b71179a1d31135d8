import { Hono } from 'hono'
import { localParticipant } from '../../participant/participant.ts'
import { readForm } from '../http/post.ts'
import { safeNext } from '../http/safe-next.ts'
import { enrollPage } from '../pages/enroll-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { addBrowser } from '../viewer/add-browser.ts'
import { pathOfRequest, recordPageRefusal } from '../viewer/admit.ts'
import { browserName } from '../viewer/browser-name.ts'
import { readEnrollCode } from '../viewer/enroll.ts'
import { useCode } from '../viewer/one-time-code.ts'

/** Enrolls a browser for the local person by a one-time link. Only the button uses it up; a link preview does not. */
export const enrollRoutes = () => new Hono<WebEnv>().get('/enroll', show).post('/enroll', enroll)

async function show(c: WebContext): Promise<Response> {
  const code = await readEnrollCode(c.var.site.assent, c.req.query('code'))
  if (code === undefined) return linkUsed(c)
  const props = { action: pathOfRequest(c), browserName: browserName(c.req.header('user-agent')) }
  return c.html(enrollPage(frameFor(c), props))
}

async function enroll(c: WebContext): Promise<Response> {
  const { site } = c.var
  const form = await readForm(c)
  if (form instanceof Response) return form
  const code = await readEnrollCode(site.assent, c.req.query('code'))
  if (code === undefined || !(await useCode(site.assent.store.steps, code))) return linkUsed(c)

  await addBrowser(c, { participant: localParticipant, groups: [] }, { by: 'link' }, site.enrolledMs)
  const next = safeNext(site, code.facts.next)
  return next === undefined
    ? notice(c, 200, { kind: 'enrolled', next: { href: '/inbox', label: 'Open your inbox' } })
    : c.redirect(next, 303)
}

async function linkUsed(c: WebContext): Promise<Response> {
  await recordPageRefusal(c, 'link-used')
  return notice(c, 403, { kind: 'link-used' })
}
