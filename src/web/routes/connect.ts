import { Hono } from 'hono'
import type { Completed, ConnectBegun } from '../../connection/connections.ts'
import type { Provider, SignInPlace } from '../../connection/provider.ts'
import { isServerTag } from '../../connection/registration/server-tag.ts'
import { type Elicitation, isSettled } from '../../elicitation/elicitation.ts'
import type { FieldError } from '../../elicitation/form/validate.ts'
import { tooMany } from '../http/entrance.ts'
import { providerTargets } from '../http/headers.ts'
import { readPost } from '../http/post.ts'
import { keyField, postedName } from '../pages/props.ts'
import { connectPage } from '../pages/question/connect-page.ts'
import { connectPath } from '../question/connect-path.ts'
import { findQuestion, readId } from '../question/find-question.ts'
import { postedAction } from '../question/posted-answer.ts'
import { endPage, questionFacts } from '../question/question-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext, WebEnv } from '../site.ts'
import { admit, pathOfRequest } from '../viewer/admit.ts'
import type { Viewer } from '../viewer/viewer.ts'

/** Connects accounts. People are redirected to a provider only when they press the button of the connect page. */
export const connectRoutes = () =>
  new Hono<WebEnv>()
    .get('/oauth/connect/:provider', show)
    .post('/oauth/connect/:provider', answer)
    .get('/oauth/callback', finish)
    .get('/oauth/callback/:server', finish)
    .get('/oauth/client/:server', describeUs)

/** Who wants to connect which account. */
interface Connecting {
  readonly viewer: Viewer
  readonly provider: Provider
  /** The question that asked for it; absent when the person opened the page themselves. */
  readonly asked?: Elicitation
}

async function show(c: WebContext): Promise<Response> {
  const connecting = await open(c)
  if (connecting instanceof Response) return connecting
  const { asked, viewer, provider } = connecting
  const end = asked && endPage(c, asked, viewer)
  if (end !== undefined) return c.html(end)
  const place = provider.by.kind === 'consent' ? await provider.by.consent.find?.() : undefined
  if (place?.kind === 'found') return c.html(pageFor(c, connecting, { place }))
  // A question fails, and its client is told why, only when somebody presses the button.
  if (place !== undefined && asked === undefined)
    return notice(c, 502, { kind: 'connect-failed', detail: place.message })
  return c.html(pageFor(c, connecting))
}

async function answer(c: WebContext): Promise<Response> {
  const connecting = await open(c)
  if (connecting instanceof Response) return connecting
  const { asked, viewer } = connecting
  const form = await readPost(c, viewer, asked?.id)
  if (form instanceof Response) return form
  if (asked && isSettled(asked)) return late(c, asked, viewer)

  const action = postedAction(form)
  return action === 'accept' ? connect(c, connecting, form) : refuse(c, connecting, action)
}

async function connect(c: WebContext, connecting: Connecting, form: FormData): Promise<Response> {
  const { connections } = c.var.site.assent
  const { provider, viewer, asked } = connecting
  const { participant, groups, key: browser } = viewer
  const beginning = {
    provider: provider.name,
    person: { participant, groups },
    ...(asked && { elicitation: asked.id }),
  }
  if (provider.by.kind === 'consent')
    return redirectToProvider(c, await connections.begin({ ...beginning, browser }), viewer)

  const key = form.get(postedName(keyField))
  const kept = await connections.keepKey(beginning, typeof key === 'string' ? key.trim() : '')
  if (kept.kind !== 'invalid') return completedPage(c, kept, viewer)
  return c.html(pageFor(c, connecting, { errors: [{ field: keyField, message: kept.message }] }), 422)
}

function redirectToProvider(c: WebContext, begun: ConnectBegun, viewer: Viewer): Response | Promise<Response> {
  switch (begun.kind) {
    case 'begun':
      return c.redirect(begun.url, 303)
    case 'late':
      return late(c, begun.elicitation, viewer)
    case 'failed':
      return notice(c, 502, { kind: 'connect-failed', detail: begun.message })
  }
}

async function refuse(c: WebContext, { asked, viewer }: Connecting, action: 'decline' | 'cancel'): Promise<Response> {
  if (asked === undefined) return c.redirect('/connections', 303)
  const { participant, groups } = viewer
  const answered = await c.var.site.assent.answer(asked.id, { participant, groups, via: 'page' }, { action })
  return answered.kind === 'late' ? late(c, answered.elicitation, viewer) : c.redirect(pathOfRequest(c), 303)
}

async function finish(c: WebContext): Promise<Response> {
  // A flow can be completed once, so a HEAD request must not use it up.
  if (c.req.method === 'HEAD') return c.body(null, 405, { Allow: 'GET' })
  const viewer = await admit(c)
  if (viewer instanceof Response) return viewer
  const { participant, groups, key: browser } = viewer
  const { assent, origin } = c.var.site
  const callback = new URL(`${callbackPath(c)}${new URL(c.req.url).search}`, origin)
  const completed = await assent.connections.complete({ person: { participant, groups }, browser, callback })
  return completedPage(c, completed, viewer)
}

/** Each authorization server that was found by discovery has a callback of its own. */
function callbackPath(c: WebContext): string {
  const server = c.req.param('server')
  return server === undefined ? '/oauth/callback' : `/oauth/callback/${encodeURIComponent(server)}`
}

/** The client document that authorization servers read (OAuth Client ID Metadata Document). It holds nothing secret. */
function describeUs(c: WebContext): Response {
  const server = c.req.param('server') ?? ''
  const { assent, isSecure, origin } = c.var.site
  if (!isServerTag(server)) return c.json({ error: 'invalid_request' }, 400)
  // A document that is not at an https address is believed by nobody.
  if (!isSecure) return c.json({ error: 'not_found' }, 404)
  return c.json({
    client_id: `${origin}/oauth/client/${server}`,
    client_name: assent.pages.title,
    client_uri: origin,
    redirect_uris: [`${assent.connections.callbackUrl}/${server}`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  })
}

function completedPage(c: WebContext, completed: Completed, viewer: Viewer): Response | Promise<Response> {
  const next = { href: '/connections', label: 'See your connections' }
  switch (completed.kind) {
    case 'connected':
      return notice(c, 200, { kind: 'connected', detail: `${completed.provider.title} is connected.`, next })
    case 'too-little': {
      const detail = `${completed.provider.title} did not allow: ${completed.missing.join(' ')}.`
      return notice(c, 200, { kind: 'connected-too-little', detail, next })
    }
    case 'denied':
      return notice(c, 200, { kind: 'connect-denied' })
    case 'failed':
      return notice(c, 502, { kind: 'connect-failed', detail: completed.message })
    case 'late':
      return late(c, completed.elicitation, viewer)
    case 'refused':
      return notice(c, 403, { kind: 'connect-refused' })
  }
}

function late(c: WebContext, elicitation: Elicitation, viewer: Viewer): Response | Promise<Response> {
  return c.html(endPage(c, elicitation, viewer, 'late') as string, 409)
}

/** Checks that this person may connect this account; otherwise returns the response that refuses it. */
async function open(c: WebContext): Promise<Connecting | Response> {
  const { assent, rates } = c.var.site
  const given = c.req.query('elicitation_id')
  const id = readId(given)
  const viewer = await admit(c, id)
  if (viewer instanceof Response) return viewer
  const name = c.req.param('provider') ?? ''
  const provider = assent.connections.providers.get(name)
  if (given === undefined) return provider ? { viewer, provider } : notFound(c)

  const seconds = id && rates.question(viewer.participant, id)
  if (seconds) return tooMany(c, seconds)
  const asked = await findQuestion(c, viewer, id)
  const wanted = asked?.question.mode === 'url' ? asked.question.connect : undefined
  if (asked === undefined || wanted === undefined) return notFound(c)
  if (wanted.provider !== name) return c.redirect(connectPath(wanted.provider, asked.id), 303)
  return provider ? { viewer, provider, asked } : notFound(c)
}

interface Shown {
  readonly errors?: readonly FieldError[]
  /** Where the person signs in, if that was found by discovery. */
  readonly place?: Extract<SignInPlace, { kind: 'found' }> | undefined
}

function pageFor(c: WebContext, { provider, asked, viewer }: Connecting, { errors = [], place }: Shown = {}): string {
  const { by, title } = provider
  const action = pathOfRequest(c)
  const host = place === undefined ? provider.host : new URL(place.issuer).host
  const wanted = asked?.question.mode === 'url' ? asked.question.connect?.scopes : undefined
  if (by.kind === 'consent') c.set('formTargets', [providerTargets(c.var.site), plainOrigin(place?.issuer)].join(' '))
  return connectPage(frameFor(c), {
    ...(asked && { asked: questionFacts(asked, viewer, action) }),
    action,
    provider: { title, ...(host !== undefined && { host }) },
    scopes: wanted ?? provider.scopes,
    ...(by.kind === 'key' && { key: by }),
    errors,
  })
}

/** An issuer on this machine may use http, even where the pages do not. It was found by discovery, and judged there. */
const plainOrigin = (issuer: string | undefined) => (issuer?.startsWith('http:') === true ? new URL(issuer).origin : '')

const notFound = (c: WebContext) => notice(c, 404, { kind: 'not-found' })
