import { Hono } from 'hono'
import type { Grant, GrantId } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import { localeOf } from '../http/locale.ts'
import { readPost } from '../http/post.ts'
import { grantsPage } from '../pages/grants-page.ts'
import type { GrantItem } from '../pages/props.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit, recordPageRefusal } from '../viewer/admit.ts'
import { personName } from '../viewer/person-name.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Lists what a person allowed or denied for more than one call, and revokes it. */
export const grantsRoutes = () => new Hono<WebEnv>().get('/grants', show).post('/grants/:id/revoke', revoke)

const mostShown = 50

async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const listed = await c.var.site.assent.approvals.list(viewer.participant, mostShown + 1, readId(c.req.query('after')))
  const shown = listed.slice(0, mostShown)
  const last = listed.length > mostShown ? shown.at(-1) : undefined
  const grants = await Promise.all(shown.map((grant) => rowOf(c, grant, viewer)))
  const older = last && { older: `/grants?after=${encodeURIComponent(last.id)}` }
  return c.html(grantsPage(frameFor(c), { grants, ...older }))
}

async function rowOf(c: WebContext, grant: Grant, viewer: Viewer): Promise<GrantItem> {
  const { id, revoked, expiresAt, grantedBy, given, createdAt } = grant
  const now = c.var.site.assent.clock.now()
  const clientName = await clientNameOf(c, grant)
  const locale = localeOf(c.req.header('accept-language'))
  const isOver = expiresAt !== undefined && expiresAt <= now
  return {
    id,
    sentence: grantSentence(grant, { now, locale, ...(clientName !== undefined && { clientName }) }),
    standing: revoked !== undefined ? 'Revoked' : isOver ? 'Ended' : 'holds',
    grantedBy: grantedBy === viewer.participant ? 'you' : personName(grantedBy),
    through: given?.through ?? 'client',
    createdAt,
    revokeAction: `/grants/${encodeURIComponent(id)}/revoke`,
  }
}

/** The client's name at the time of the question; undefined once the question is deleted. */
async function clientNameOf(c: WebContext, { elicitation, client }: Grant): Promise<string | undefined> {
  if (elicitation === undefined || client === undefined) return undefined
  return (await c.var.site.assent.get(elicitation))?.requester.clientName
}

async function revoke(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const id = readId(c.req.param('id'))
  const revoked = id && (await c.var.site.assent.approvals.revoke(id, viewer.participant))
  if (revoked !== undefined) return c.redirect('/grants', 303)
  await recordPageRefusal(c, 'not-theirs', id)
  return notice(c, 404, { kind: 'not-found' })
}

/** Text that could be the id of a grant; undefined for anything else, which no store is asked for. */
function readId(text: string | undefined): GrantId | undefined {
  return text !== undefined && /^[\w-]{1,100}$/.test(text) ? (text as GrantId) : undefined
}
