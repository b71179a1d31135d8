import { AssentError } from '../../base/errors.ts'
import { isAsked } from '../../elicitation/answering/answerers.ts'
import type { Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { WebContext } from '../site.ts'
import { recordRefusal } from '../viewer/admit.ts'

/** Who may see a question: those who were asked; how it stands, also the one for whom it was asked. */
export type MaySee = (elicitation: Elicitation, person: Person) => boolean

const whoWasAsked: MaySee = isAsked

export const whoAskedOrWasAsked: MaySee = (elicitation, person) =>
  isAsked(elicitation, person) || elicitation.requester.participant === person.participant

/** An id as one could be; anything else is in no store, and is not looked for. */
export function readId(text: string | undefined): ElicitationId | undefined {
  return text !== undefined && /^[\w-]{1,64}$/.test(text) ? (text as ElicitationId) : undefined
}

/** The question, for one who may see it. Undefined alike for one that never was and for one of somebody else. */
export async function questionFor(
  c: WebContext,
  person: Person,
  id: ElicitationId | undefined,
  maySee: MaySee = whoWasAsked,
): Promise<Elicitation | undefined> {
  const elicitation = id && (await lookFor(c, id))
  if (elicitation === undefined || maySee(elicitation, person)) return elicitation
  await recordRefusal(c, 'not-asked', elicitation.id)
  return undefined
}

async function lookFor(c: WebContext, id: ElicitationId): Promise<Elicitation | undefined> {
  try {
    return await c.var.site.assent.look(id)
  } catch (error) {
    if (error instanceof AssentError && error.code === 'not_found') return undefined
    throw error
  }
}
