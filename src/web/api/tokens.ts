import { newToken, problemWithToken } from '../../participant/api-token.ts'
import { type ApiRight, apiRights } from '../../participant/owned.ts'
import { readPost } from '../http/post.ts'
import { type TokensPageProps, tokensPage } from '../pages/tokens-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Lists the tokens of a person, each with a button to revoke it. */
export async function showTokens(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  return viewer instanceof Response ? viewer : draw(c, viewer)
}

async function draw(
  c: WebContext,
  viewer: Viewer,
  made: Pick<TokensPageProps, 'made' | 'problem'> = {},
): Promise<Response> {
  const { store, clock } = c.var.site.assent
  const mine = (await store.tokens.list(viewer.participant)).filter(({ expiresAt }) => expiresAt > clock.now())
  const tokens = mine.map(({ id, name, rights, createdAt, expiresAt }) => {
    return { name, rights, createdAt, expiresAt, revokeAction: `/tokens/${id}/revoke` }
  })
  return c.html(tokensPage(frameFor(c), { tokens, ...made }), made.problem === undefined ? 200 : 422)
}

/** Makes a token, and shows it this once. */
export async function makeToken(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent, limits } = c.var.site
  const { store, clock } = assent
  const name = String(form.get('name') ?? '').trim()
  const rights = form.getAll('right').filter((right): right is ApiRight => apiRights.some((one) => one === right))
  const days = Number(form.get('days') ?? '')
  const wrong = problemWithToken({ name, rights, days })
  if (wrong !== undefined) return draw(c, viewer, { problem: wrong })
  const { participant } = viewer
  if ((await store.tokens.list(participant)).length >= limits.tokensPerPerson) {
    const words = `You have ${limits.tokensPerPerson} tokens, which is the most. Revoke one first.`
    return draw(c, viewer, { problem: words })
  }
  const { token, record } = newToken({ participant, name, rights, days }, clock.now())
  // Recorded first, so that no program can act for anybody without the audit knowing.
  await assent.record({
    kind: 'token-made',
    who: participant,
    about: record.id,
    data: { rights: [...record.rights], by: 'person' },
  })
  await store.tokens.add(record)
  return draw(c, viewer, { made: { token, name } })
}

/** Revokes a token at once, in every process that shares the store. */
export async function revokeToken(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  if (form instanceof Response) return form
  const { assent } = c.var.site
  const id = c.req.param('id') ?? ''
  if (!/^[\w-]{1,64}$/.test(id) || !(await assent.store.tokens.remove(viewer.participant, id))) {
    return notice(c, 404, { kind: 'not-found' })
  }
  await assent.record({ kind: 'token-revoked', who: viewer.participant, about: id, data: { by: 'person' } })
  return c.redirect('/tokens', 303)
}
