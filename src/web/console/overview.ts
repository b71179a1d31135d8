import { type OverviewRange, readOverview } from '../../rollup/overview.ts'
import { overviewPage } from '../pages/console/overview-page.ts'
import { frameFor } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'

const mostOpen = 100
const ranges: readonly OverviewRange[] = ['day', 'week', 'month']

/** What happened lately, in numbers. */
export async function showOverview(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent } = c.var.site
  const range = ranges.find((one) => one === c.req.query('range')) ?? 'day'
  const [overview, open, isPaused] = await Promise.all([
    readOverview(assent.store.rollups, range, assent.clock.now()),
    assent.store.elicitations.listAllOpen(mostOpen),
    assent.approvals.isPaused(),
  ])
  c.set('isLive', true)
  return c.html(overviewPage(frameFor(c), { overview, open: open.length, mostOpen, isPaused }))
}
