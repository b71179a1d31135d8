import type { Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import { hasTakenPart } from '../../elicitation/voting/voting.ts'
import type { Person } from '../../participant/identify.ts'
import type { WebContext } from '../site.ts'
import { recordPageRefusal } from '../viewer/admit.ts'

/** Decides whether a person may see a question. */
export type MaySee = (elicitation: Elicitation, person: Person) => boolean

/** The requester may see how their question stands, but not answer it. */
export const isRequesterOrAsked: MaySee = (elicitation, person) =>
  hasTakenPart(elicitation, person) || elicitation.requester.participant === person.participant

/** Text that could be the id of a question; undefined for anything else, which no store is asked for. */
export function readId(text: string | undefined): ElicitationId | undefined {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? (text as ElicitationId) : undefined
}

/** The question, if this person may see it. Undefined both for unknown questions and for those of somebody else. */
export async function findQuestion(
  c: WebContext,
  person: Person,
  id: ElicitationId | undefined,
  maySee: MaySee = hasTakenPart,
): Promise<Elicitation | undefined> {
  const elicitation = id && (await c.var.site.assent.get(id))
  if (elicitation === undefined || maySee(elicitation, person)) return elicitation
  await recordPageRefusal(c, 'not-asked', elicitation.id)
  return undefined
}
