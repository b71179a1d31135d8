import type { Answer, Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { ConnectionDesk } from '../desk.ts'

/** How the question ended. `late`: it had been settled already. */
export interface SettledQuestion {
  readonly kind: 'settled' | 'late'
  readonly elicitation: Elicitation
}

/** Answers the question by which a connection was asked for. */
export async function settleQuestion(
  desk: Pick<ConnectionDesk, 'questions'>,
  id: ElicitationId,
  person: Person,
  answer: Answer,
): Promise<SettledQuestion> {
  const answered = await desk.questions.answer(id, { ...person, via: 'page' }, answer)
  if (answered.kind === 'kept') return { kind: 'settled', elicitation: answered.elicitation }
  if (answered.kind === 'late') return { kind: 'late', elicitation: answered.elicitation }
  // The reason is longer than this installation allows. The question is settled without it rather than left open.
  return settleQuestion(desk, id, person, { action: 'decline' })
}
