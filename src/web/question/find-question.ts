import { isAsked } from '../../elicitation/answering/answerers.ts'
import type { Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { WebContext } from '../site.ts'
import { recordPageRefusal } from '../viewer/admit.ts'

/** Who may see a question: those who were asked; how it stands, also the one for whom it was asked. */
export type MaySee = (elicitation: Elicitation, person: Person) => boolean

const whoWasAsked: MaySee = isAsked

export const isRequesterOrAsked: MaySee = (elicitation, person) =>
  isAsked(elicitation, person) || elicitation.requester.participant === person.participant

/** An id as one could be; anything else is in no store, and is not looked for. */
export function readId(text: string | undefined): ElicitationId | undefined {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? (text as ElicitationId) : undefined
}

/** The question, for one who may see it. Undefined alike for one that never was and for one of somebody else. */
export async function findQuestion(
  c: WebContext,
  person: Person,
  id: ElicitationId | undefined,
  maySee: MaySee = whoWasAsked,
): Promise<Elicitation | undefined> {
  const elicitation = id && (await c.var.site.assent.get(id))
  if (elicitation === undefined || maySee(elicitation, person)) return elicitation
  await recordPageRefusal(c, 'not-asked', elicitation.id)
  return undefined
}
