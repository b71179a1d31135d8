import { Hono } from 'hono'
import { refusalWords } from '../../passkey/refusal-words.ts'
import { readPost } from '../http/post.ts'
import { safeNext } from '../http/safe-next.ts'
import { passkeysPage } from '../pages/passkey/passkeys-page.ts'
import { type PasskeysPageProps, posted } from '../pages/props.ts'
import { readSigned } from '../passkey/posted-passkey.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit } from '../viewer/admit.ts'
import { browserName } from '../viewer/browser-name.ts'
import { personName } from '../viewer/person-name.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Lists a person's passkeys, adds, names and revokes them. */
export const passkeysRoutes = () =>
  new Hono<WebEnv>()
    .get('/passkeys', show)
    .post('/passkeys', add)
    .post('/passkeys/options', beginAdding)
    .post('/passkeys/:id/rename', rename)
    .post('/passkeys/:id/sign', beginRevoking)
    .post('/passkeys/:id/revoke', revoke)

async function show(c: WebContext): Promise<Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  return draw(c, viewer)
}

async function draw(c: WebContext, viewer: Viewer, refused?: string): Promise<Response> {
  const { site } = c.var
  const { passkeys } = site.assent
  c.set('isSigning', true)
  const next = safeNext(site, c.req.query('next'))
  const mine = await passkeys.list(viewer.participant)
  const props: PasskeysPageProps = {
    passkeys: mine.map(({ id, name, kind, createdAt, usedAt }) => ({
      id,
      name,
      kind,
      createdAt,
      ...(usedAt && { usedAt }),
      renameAction: `/passkeys/${id}/rename`,
      signAction: `/passkeys/${id}/sign`,
      revokeAction: `/passkeys/${id}/revoke`,
    })),
    addAction: next === undefined ? '/passkeys' : `/passkeys?next=${encodeURIComponent(next)}`,
    addOptions: '/passkeys/options',
    suggestedName: browserName(c.req.header('user-agent')),
    ...(passkeys.problem !== undefined && { problem: passkeys.problem }),
    ...(refused !== undefined && { refused }),
    ...doneIn(c),
    ...(next !== undefined && { next }),
  }
  return c.html(passkeysPage(frameFor(c), props), refused === undefined ? 200 : 422)
}

function doneIn(c: WebContext): Pick<PasskeysPageProps, 'done'> {
  const done = c.req.query('done')
  return done === 'added' || done === 'renamed' || done === 'revoked' ? { done } : {}
}

interface Opened {
  readonly viewer: Viewer
  readonly form: FormData
}

async function open(c: WebContext): Promise<Opened | Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const form = await readPost(c, viewer)
  return form instanceof Response ? form : { viewer, form }
}

async function beginAdding(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { participant } = opened.viewer
  const { passkeys } = c.var.site.assent
  if (passkeys.problem !== undefined) return c.json({ problem: passkeys.problem }, 409)
  return c.json(await passkeys.beginAdding(participant, personName(participant)))
}

async function add(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { viewer, form } = opened
  const made = readSigned(form, posted.ceremony, posted.assertion)
  if (made === undefined) return draw(c, viewer, 'No passkey came with the form. Making one needs JavaScript.')
  const confirmed = readSigned(form, posted.confirmation, posted.confirmedBy)
  const name = form.get('name')
  const added = await c.var.site.assent.passkeys.add(viewer.participant, {
    ceremony: made.ceremony,
    created: made.assertion,
    name: typeof name === 'string' ? name : '',
    ...(confirmed && { confirmed }),
  })
  if (added.kind === 'refused') return draw(c, viewer, refusalWords[added.reason])
  const next = safeNext(c.var.site, c.req.query('next'))
  return c.redirect(`/passkeys?done=added${next === undefined ? '' : `&next=${encodeURIComponent(next)}`}`, 303)
}

const idIn = (c: WebContext) => c.req.param('id') ?? ''

async function rename(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { viewer, form } = opened
  const name = form.get('name')
  const text = typeof name === 'string' ? name : ''
  if (text.trim() === '') return draw(c, viewer, 'A passkey needs a name.')
  if (!(await c.var.site.assent.passkeys.rename(viewer.participant, idIn(c), text))) {
    return notice(c, 404, { kind: 'not-found' })
  }
  return c.redirect('/passkeys?done=renamed', 303)
}

async function beginRevoking(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const signing = await c.var.site.assent.passkeys.beginRevoking(opened.viewer.participant, idIn(c))
  return signing === undefined ? notice(c, 404, { kind: 'not-found' }) : c.json(signing)
}

async function revoke(c: WebContext): Promise<Response> {
  const opened = await open(c)
  if (opened instanceof Response) return opened
  const { viewer, form } = opened
  const { passkeys } = c.var.site.assent
  const id = idIn(c)
  if (!(await passkeys.list(viewer.participant)).some((one) => one.id === id)) {
    return notice(c, 404, { kind: 'not-found' })
  }
  const signed = readSigned(form, posted.ceremony, posted.assertion)
  if (signed === undefined) return draw(c, viewer, 'A passkey is revoked with one of yours, which needs JavaScript.')
  const revoked = await passkeys.revoke(viewer.participant, id, signed)
  if (revoked.kind === 'refused') return draw(c, viewer, refusalWords[revoked.reason])
  return c.redirect('/passkeys?done=revoked', 303)
}
