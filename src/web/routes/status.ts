import { Hono } from 'hono'
import { isSettled } from '../../elicitation/elicitation.ts'
import { statusOf } from '../../elicitation/result.ts'
import { findQuestion, isRequesterOrAsked, readId } from '../question/find-question.ts'
import type { Site, WebContext, WebEnv } from '../site.ts'
import { recordPageRefusal } from '../viewer/admit.ts'
import { viewerOf } from '../viewer/find-viewer.ts'

/** The status of a question as JSON, for the requester and those who were asked. To all others every id is unknown. */
export const statusRoutes = ({ assent: { pages } }: Site) =>
  new Hono<WebEnv>().get(
    `/${pages.prefix}/:id/${Object.hasOwn(pages.names, 'status') ? pages.names.status : 'status'}`,
    status,
  )

async function status(c: WebContext): Promise<Response> {
  const { site } = c.var
  const id = readId(c.req.param('id'))
  const viewer = await viewerOf(c)
  if (viewer === undefined) {
    await recordPageRefusal(c, site.isLocal ? 'not-enrolled' : 'not-signed-in', id)
    const message = site.isLocal
      ? 'This browser is not enrolled. Open a link from `assent open` in it.'
      : 'Sign in first.'
    return c.json({ error: 'not_known', message }, 403)
  }
  c.set('viewer', viewer)
  const seconds = id && site.rates.question(viewer.participant, id)
  if (seconds) {
    c.header('Retry-After', String(seconds))
    return c.json({ error: 'too_many', message: 'Too many requests. Try again later.' }, 429)
  }
  const elicitation = await findQuestion(c, viewer, id, isRequesterOrAsked)
  if (elicitation === undefined) return c.json({ error: 'not_found', message: 'There is no such question.' }, 404)
  const { createdAt, expiresAt } = elicitation
  return c.json({
    elicitationId: elicitation.id,
    status: statusOf(elicitation),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    completed: isSettled(elicitation),
  })
}
