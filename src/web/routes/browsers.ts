import { Hono } from 'hono'
import { clearBrowserCookie } from '../http/cookie.ts'
import { readPost } from '../http/post.ts'
import { browsersPage } from '../pages/browsers-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'

/** Loaded where somebody lets a phone in. */
const phone = () => import('../phone/phone.ts')

/** Lists the browsers that may answer for a person, removes them, and lets in a phone. */
export const browsersRoutes = () =>
  new Hono<WebEnv>()
    .get('/browsers', show)
    .post('/browsers/:id/remove', remove)
    .post('/browsers/phone', async (c) => (await phone()).showPhoneLink(c))
    .get('/browsers/add', async (c) => (await phone()).askPhone(c))
    .post('/browsers/add', async (c) => (await phone()).letPhoneIn(c))

async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { store, clock } = c.var.site.assent
  const now = clock.now()
  const mine = (await store.browsers.list(viewer.participant)).filter(({ expiresAt }) => expiresAt > now)
  const props = {
    mayLetPhoneIn: viewer.browser?.by === 'login',
    browsers: mine.map(({ id, name, by, createdAt, expiresAt }) => ({
      id,
      name,
      by,
      createdAt,
      expiresAt,
      isThisOne: id === viewer.browser?.id,
      removeAction: `/browsers/${encodeURIComponent(id)}/remove`,
    })),
  }
  return c.html(browsersPage(frameFor(c), props))
}

async function remove(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent } = c.var.site
  const id = c.req.param('id') ?? ''
  const isGone = /^[\w-]{1,64}$/.test(id) && (await assent.store.browsers.remove(viewer.participant, id))
  if (!isGone) return notice(c, 404, { kind: 'not-found' })
  await assent.record({ kind: 'browser-removed', who: viewer.participant, about: id })
  await assent.subscriptions.removeOf(viewer.participant, id)
  if (id !== viewer.browser?.id) return c.redirect('/browsers', 303)
  clearBrowserCookie(c)
  c.set('viewer', undefined)
  return notice(c, 200, { kind: 'signed-out' })
}
