import { livePage } from '../pages/console/live-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'
import { searchAudit } from './audit-search.ts'
import { rowsOfEvents } from './events.ts'

/** What happened last. */
export async function showLive(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent } = c.var.site
  const { events } = await searchAudit(assent.store.audit, {})
  c.set('isLive', true)
  return c.html(livePage(frameFor(c), { rows: await rowsOfEvents(assent, events) }))
}

/** Tells an open page when something happened. */
export async function streamLive(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const stream = c.var.site.consoleStreams.open(viewer)
  if (stream === undefined) return c.text('This person has too many live pages open. Close one.', 429)
  return c.body(stream, 200, { 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
}
