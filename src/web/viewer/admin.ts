import { notice } from '../render.ts'
import type { WebContext } from '../site.ts'
import { admit, recordPageRefusal } from './admit.ts'
import { isAdmin } from './is-admin.ts'
import type { Viewer } from './viewer.ts'

/** The administrator behind this request. Others are told that the page does not exist, and the audit knows. */
export async function admitAdmin(c: WebContext): Promise<Viewer | Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response || isAdmin(c.var.site, viewer)) return viewer
  await recordPageRefusal(c, 'not-admin')
  return notice(c, 404, { kind: 'not-found' })
}
