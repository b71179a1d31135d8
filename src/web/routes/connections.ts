import { Hono } from 'hono'
import { isProviderName } from '../../elicitation/asking/provider-name.ts'
import { readPost } from '../http/post.ts'
import { connectionsPage } from '../pages/connections-page.ts'
import { connectPath } from '../question/connect-path.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'

/** Lists the accounts that a person has connected, and disconnects them. */
export const connectionsRoutes = () =>
  new Hono<WebEnv>().get('/connections', show).post('/connections/:provider/disconnect', disconnect)

async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { connections } = c.var.site.assent
  const mine = await connections.list(viewer.participant)
  const connected = new Set(mine.map(({ provider }) => provider))
  const props = {
    connections: mine.map((view) => ({
      ...view,
      disconnectAction: `/connections/${encodeURIComponent(view.provider)}/disconnect`,
    })),
    others: [...connections.providers.values()]
      .filter(({ name }) => !connected.has(name))
      .map(({ name, title }) => ({ title, href: connectPath(name) })),
  }
  return c.html(connectionsPage(frameFor(c), props))
}

async function disconnect(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const provider = c.req.param('provider') ?? ''
  if (!isProviderName(provider)) return notice(c, 404, { kind: 'not-found' })
  await c.var.site.assent.connections.disconnect(viewer.participant, provider)
  return c.redirect('/connections', 303)
}
