import type { Answerer } from '../../elicitation/answering/answerers.ts'
import { isOneOf } from '../../elicitation/answering/answerers.ts'
import type { Person } from '../../participant/identify.ts'
import type { Site } from '../site.ts'

/** Whether a person may see what concerns everybody. Without a login that is the one local person. */
export function isAdmin({ isLocal, admins }: Pick<Site, 'isLocal' | 'admins'>, person: Person): boolean {
  return isLocal || admins.some((name) => isOneOf(person, name as Answerer))
}
