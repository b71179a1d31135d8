import { Hono } from 'hono'
import type { PageLogin } from '../../participant/identify.ts'
import { clearBrowserCookie } from '../http/cookie.ts'
import { readPost } from '../http/post.ts'
import { safeNext } from '../http/safe-next.ts'
import { notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { addBrowser } from '../viewer/add-browser.ts'
import { admit, recordPageRefusal } from '../viewer/admit.ts'
import { viewerOf } from '../viewer/find-viewer.ts'
import { beginSignIn, takeSignIn } from '../viewer/signing-in.ts'
import { endTold } from '../viewer/told-browser.ts'

const home = '/inbox'

/** Signs people in and out. A sign-in must end in the browser that began it. */
export const loginRoutes = (login: PageLogin) =>
  new Hono<WebEnv>()
    .get('/login', (c) => begin(c, login))
    .get('/login/callback', (c) => finish(c, login))
    .post('/logout', signOut)

async function begin(c: WebContext, login: PageLogin): Promise<Response> {
  const next = safeNext(c.var.site, c.req.query('next')) ?? home
  if (await viewerOf(c)) return c.redirect(next, 303)
  const begun = await login.begin(await beginSignIn(c, next))
  return begun.kind === 'begun' ? c.redirect(begun.url, 303) : failed(c, begun.message, 503)
}

async function finish(c: WebContext, login: PageLogin): Promise<Response> {
  const { site } = c.var
  // A sign-in can be completed once, so a HEAD request must not use it up.
  if (c.req.method === 'HEAD') return c.body(null, 405, { Allow: 'GET' })
  const pending = await takeSignIn(c, c.req.query('state'))
  if (pending === undefined) {
    await recordPageRefusal(c, 'login-not-begun-here')
    return failed(c, 'It was not started in this browser, took too long, or was completed before.', 403)
  }
  const callback = new URL(`/login/callback${new URL(c.req.url).search}`, site.origin)
  const completed = await login.complete(pending.signing, callback)
  if (completed.kind === 'failed') {
    await recordPageRefusal(c, 'login-failed')
    return failed(c, completed.message, 403)
  }
  await addBrowser(c, completed.who, { by: 'login' }, site.signInMs)
  return c.redirect(safeNext(site, pending.next) ?? home, 303)
}

async function signOut(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { browser } = viewer
  if (browser) {
    const { assent } = c.var.site
    await assent.store.browsers.remove(browser.participant, browser.id)
    await assent.record({ kind: 'browser-removed', who: browser.participant, about: browser.id })
    await assent.subscriptions.removeOf(browser.participant, browser.id)
  }
  await endTold(c)
  clearBrowserCookie(c)
  c.set('viewer', undefined)
  return notice(c, 200, { kind: 'signed-out', next: { href: '/login', label: 'Sign in again' } })
}

function failed(c: WebContext, detail: string, status: 403 | 503): Response | Promise<Response> {
  return notice(c, status, { kind: 'login-failed', detail, next: { href: '/login', label: 'Try again' } })
}
