import { Hono } from 'hono'
import { sendExport, showAudit, startCheck } from '../../console/audit.ts'
import {
  revokePermission,
  showAllInstances,
  showConnections,
  showPeople,
  showPermissions,
} from '../../console/lists.ts'
import { showLive, streamLive } from '../../console/live.ts'
import { showOverview } from '../../console/overview.ts'
import { replayDraft, showRules, tryCall } from '../../console/policy.ts'
import { showServers } from '../../console/servers.ts'
import { rowOf } from '../../inbox/inbox-rows.ts'
import { consoleQuestionsPage } from '../../pages/console/lists-page.ts'
import { readId } from '../../question/find-question.ts'
import { frameFor } from '../../render.ts'
import type { WebContext, WebEnv } from '../../site.ts'
import { admitAdmin } from '../../viewer/admin.ts'
import { personName } from '../../viewer/person-name.ts'

/** What concerns everybody, for administrators. Each of these admits nobody else. */
export const consoleRoutes = () =>
  new Hono<WebEnv>()
    .get('/console', showOverview)
    .get('/console/live', showLive)
    .get('/console/live/events', streamLive)
    .get('/console/servers', showServers)
    .get('/console/policy', showRules)
    .post('/console/policy/try', tryCall)
    .post('/console/policy/replay', replayDraft)
    .get('/console/questions', questions)
    .get('/console/permissions', showPermissions)
    .post('/console/permissions/:id/revoke', revokePermission)
    .get('/console/connections', showConnections)
    .get('/console/people', showPeople)
    .get('/console/instances', showAllInstances)
    .get('/console/audit', showAudit)
    .post('/console/audit/verify', startCheck)
    .post('/console/audit/export', sendExport)

const mostShown = 50

async function questions(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent } = c.var.site
  const found = await assent.store.elicitations.listAllOpen(mostShown + 1, readId(c.req.query('after')))
  const shown = found.slice(0, mostShown)
  const last = found.length > mostShown ? shown.at(-1) : undefined
  const rows = shown
    .filter(({ expiresAt }) => expiresAt > assent.clock.now())
    .map((asked) => {
      const { what, server, asker, createdAt, expiresAt } = rowOf(asked, viewer)
      return { what, server, asker, person: personName(asked.requester.participant), createdAt, expiresAt }
    })
  c.set('isLive', true)
  const next = last && { next: `/console/questions?after=${last.id}` }
  return c.html(consoleQuestionsPage(frameFor(c), { rows, ...next }))
}
