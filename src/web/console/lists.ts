import type { Grant, GrantId } from '../../approval/grant/grant.ts'
import { grantSentence } from '../../approval/grant/grant-sentence.ts'
import { shortId, showInstances } from '../../instance/shown-instances.ts'
import { localeOf } from '../http/locale.ts'
import { readPost } from '../http/post.ts'
import {
  consoleConnectionsPage,
  consoleInstancesPage,
  consolePeoplePage,
  consolePermissionsPage,
} from '../pages/console/lists-page.ts'
import { frameFor, notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admitAdmin } from '../viewer/admin.ts'
import { personName } from '../viewer/person-name.ts'

const mostShown = 50
const mostAccounts = 100
const defaultSkewMs = 10_000

export async function showPermissions(c: WebContext): Promise<Response> {
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

export async function revokePermission(c: WebContext): Promise<Response> {
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

export async function showConnections(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const found = await c.var.site.assent.store.connections.listAll(mostAccounts + 1)
  // Named one by one: what is sealed stays here.
  const connections = found.slice(0, mostAccounts).map((one) => ({
    provider: one.provider,
    person: personName(one.participant),
    standing: one.standing,
    scopes: one.scopes,
    connectedAt: one.connectedAt,
    renewable: one.renewable,
    ...(one.account !== undefined && { account: one.account }),
    ...(one.expiresAt !== undefined && { expiresAt: one.expiresAt }),
  }))
  return c.html(consoleConnectionsPage(frameFor(c), { connections, isCut: found.length > mostAccounts }))
}

export async function showPeople(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { store } = c.var.site.assent
  const [browsers, passkeys] = await Promise.all([
    store.browsers.listLatest(mostAccounts + 1),
    store.passkeys.listAll(mostAccounts + 1),
  ])
  const ids = [...new Set([...browsers, ...passkeys].map(({ participant }) => participant))]
  const people = ids.map((id) => ({
    name: personName(id),
    id,
    browsers: browsers.filter(({ participant }) => participant === id),
    passkeys: passkeys.filter(({ participant }) => participant === id),
  }))
  const isCut = browsers.length > mostAccounts || passkeys.length > mostAccounts
  return c.html(consolePeoplePage(frameFor(c), { people, isCut }))
}

export async function showAllInstances(c: WebContext): Promise<Response> {
  const viewer = await admitAdmin(c)
  if (viewer instanceof Response) return viewer
  const { assent, console: sources } = c.var.site
  const all = await assent.store.instances.list()
  const { running, problems } = showInstances(all, assent.clock.now(), sources?.skewMs ?? defaultSkewMs)
  const instances = running.map((one) => ({ ...one, id: shortId(one), isThis: one.id === sources?.instance }))
  c.set('isLive', true)
  return c.html(consoleInstancesPage(frameFor(c), { instances, problems }))
}
