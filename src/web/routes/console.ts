import { Hono } from 'hono'
import type { Grant, GrantId } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import { localeOf } from '../http/locale.ts'
import { readPost } from '../http/post.ts'
import { rowOf } from '../inbox/inbox-rows.ts'
import { consolePermissionsPage, consoleQuestionsPage } from '../pages/console-page.ts'
import { readId } from '../question/find-question.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'
import { personName } from '../viewer/person-name.ts'

/** What concerns everybody, for administrators: the questions that are open, and what people allowed or denied for longer. */
export const consoleRoutes = () =>
  new Hono<WebEnv>()
    .get('/console', questions)
    .get('/console/permissions', permissions)
    .post('/console/permissions/:id/revoke', revoke)

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
  return c.html(consoleQuestionsPage(frameFor(c), { rows, ...(last && { next: `/console?after=${last.id}` }) }))
}

async function permissions(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const found = await c.var.site.assent.approvals.listAll(mostShown + 1, readGrantId(c.req.query('after')))
  const shown = found.slice(0, mostShown)
  const last = found.length > mostShown ? shown.at(-1) : undefined
  const next = last && { next: `/console/permissions?after=${last.id}` }
  return c.html(consolePermissionsPage(frameFor(c), { grants: shown.map((grant) => itemOf(c, grant)), ...next }))
}

function itemOf(c: WebContext, grant: Grant) {
  const { id, revoked, expiresAt, grantedBy, createdAt } = grant
  const now = c.var.site.assent.clock.now()
  const isOver = expiresAt !== undefined && expiresAt <= now
  const standing = revoked !== undefined ? ('Revoked' as const) : isOver ? ('Ended' as const) : ('holds' as const)
  return {
    id,
    sentence: grantSentence(grant, { now, locale: localeOf(c.req.header('accept-language')) }),
    standing,
    grantedBy: personName(grantedBy),
    createdAt,
    revokeAction: `/console/permissions/${encodeURIComponent(id)}/revoke`,
  }
}

async function revoke(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const id = readGrantId(c.req.param('id'))
  const revoked = id && (await c.var.site.assent.approvals.revoke(id, 'operator'))
  return revoked === undefined ? notice(c, 404, { kind: 'not-found' }) : c.redirect('/console/permissions', 303)
}

/** Text that could be the id of a grant. */
function readGrantId(text: string | undefined): GrantId | undefined {
  return text !== undefined && /^[\w-]{1,100}$/.test(text) ? (text as GrantId) : undefined
}
