import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { isOneOf } from '../../elicitation/answering/answerers.ts'
import type { Person } from '../../participant/identify.ts'
import { notice } from '../render.ts'
import type { Site, WebContext } from '../site.ts'
import { admit, recordPageRefusal } from './admit.ts'
import type { Viewer } from './viewer.ts'

/** Whether a person may see what concerns everybody. Without a login that is the one local person. */
function isAdmin({ isLocal, admins }: Pick<Site, 'isLocal' | 'admins'>, person: Person): boolean {
  return isLocal || admins.some((name) => isOneOf(person, name as Answerer))
}

/** The administrator behind this request. Others are told that the page does not exist, and the audit knows. */
export async function admitAdmin(c: WebContext): Promise<Viewer | Response> {
  const viewer = await admit(c)
  if (viewer instanceof Response || isAdmin(c.var.site, viewer)) return viewer
  await recordPageRefusal(c, 'not-admin')
  return notice(c, 404, { kind: 'not-found' })
}
