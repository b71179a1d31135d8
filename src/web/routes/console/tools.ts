import { Hono } from 'hono'
import { heldBack } from '../../../definition/definitions.ts'
import { differenceOf } from '../../../definition/difference.ts'
import type { KnownDefinition } from '../../../definition/known-definition.ts'
import { readPost } from '../../http/post.ts'
import { type ToolItem, toolsPage } from '../../pages/console/tools-page.ts'
import { frameFor, notice } from '../../render.ts'
import type { WebContext, WebEnv } from '../../site.ts'
import { admitAdmin } from '../../viewer/admin.ts'

/** What servers say of their tools, for administrators: what is new or changed, and what of it they allow. */
export const toolsRoutes = () => new Hono<WebEnv>().get('/console/tools', show).post('/console/tools/allow', allow)

const mostRead = 10_000
const mostShown = 50

async function show(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  return c.html(await pageFor(c))
}

async function pageFor(c: WebContext, late?: string): Promise<string> {
  const all = await c.var.site.assent.definitions.list(mostRead)
  const { pinned } = c.var.site
  const order = (one: KnownDefinition, other: KnownDefinition) => other.seen.at.getTime() - one.seen.at.getTime()
  const waiting = all.filter((one) => pinned(one.server) && heldBack(one, one.seen.digest) !== undefined).sort(order)
  const others = all.filter((one) => !waiting.includes(one)).sort(order)
  return toolsPage(frameFor(c), {
    held: waiting.slice(0, mostShown).map(itemOf),
    heldInAll: waiting.length,
    others: others.slice(0, mostShown).map(itemOf),
    ...(late !== undefined && { late }),
  })
}

function itemOf(known: KnownDefinition): ToolItem {
  const { server, tool, firstSeen, changes, seen, allowed } = known
  return {
    server,
    tool,
    digest: seen.digest,
    why: heldBack(known, seen.digest),
    firstSeen,
    changedAt: seen.at,
    changes,
    ...(allowed !== undefined && { allowedAt: allowed.at }),
    lines: differenceOf(known),
  }
}

async function allow(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const [server, tool, digest] = ['server', 'tool', 'digest'].map((name) => form.get(name))
  if (typeof server !== 'string' || typeof tool !== 'string' || typeof digest !== 'string') {
    return notice(c, 404, { kind: 'not-found' })
  }
  const ended = await c.var.site.assent.definitions.allow({ server, tool, digest, by: viewer.participant })
  if (ended === 'unknown') return notice(c, 404, { kind: 'not-found' })
  if (ended === 'changed') return c.html(await pageFor(c, tool), 409)
  return c.redirect('/console/tools', 303)
}
