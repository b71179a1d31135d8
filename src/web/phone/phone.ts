import { readForm, readPost } from '../http/post.ts'
import { phoneLinkPage, phonePage } from '../pages/phone/phone-pages.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { addBrowser } from '../viewer/add-browser.ts'
import { admit, pathOfRequest, recordPageRefusal } from '../viewer/admit.ts'
import { browserName } from '../viewer/browser-name.ts'
import { personName } from '../viewer/person-name.ts'
import { phoneLink, phoneLinkMinutes, readPhoneLink, usePhoneLink } from '../viewer/phone-link.ts'

/** Shows a code to somebody who signed in, by which a phone is signed in as them. */
export async function showPhoneLink(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { browser } = viewer
  // Who is named by a proxy is named by it on the phone too, and without a login no phone reaches these pages.
  if (browser?.by !== 'login') return notice(c, 404, { kind: 'not-found' })
  const link = await phoneLink(c.var.site.assent, browser)
  return c.html(phoneLinkPage(frameFor(c), { link, minutes: phoneLinkMinutes }))
}

/** Asks on the phone. Only the button uses the link up; a preview of it does not. */
export async function askPhone(c: WebContext): Promise<Response> {
  const link = await readPhoneLink(c.var.site.assent, c.req.query('code'))
  if (link === undefined) return linkUsed(c)
  const { participant, expiresAt } = link.madeIn
  return c.html(
    phonePage(frameFor(c), {
      action: pathOfRequest(c),
      browserName: browserName(c.req.header('user-agent')),
      person: personName(participant),
      until: expiresAt,
    }),
  )
}

/** Signs the phone in, for no longer than the browser that showed the code is: then the login is asked again. */
export async function letPhoneIn(c: WebContext): Promise<Response> {
  const { assent } = c.var.site
  const form = await readForm(c)
  if (form instanceof Response) return form
  const link = await readPhoneLink(assent, c.req.query('code'))
  if (link === undefined || !(await usePhoneLink(assent, link))) return linkUsed(c)

  const { id, participant, groups, expiresAt } = link.madeIn
  const lifeMs = expiresAt.getTime() - assent.clock.now().getTime()
  await addBrowser(c, { participant, groups }, { by: 'login', letInBy: id }, lifeMs)
  return c.redirect('/push', 303)
}

async function linkUsed(c: WebContext): Promise<Response> {
  await recordPageRefusal(c, 'link-used')
  return notice(c, 403, { kind: 'phone-link-used', next: { href: '/inbox', label: 'Sign in' } })
}
