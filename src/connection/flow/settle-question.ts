import type { Answer, Elicitation, ElicitationId } from '../../elicitation/elicitation.ts'
import type { Person } from '../../participant/identify.ts'
import type { ConnectionDesk } from '../desk.ts'

/** How the question ended. Late: it was settled before, in whatever way. */
export interface SettledQuestion {
  readonly kind: 'settled' | 'late'
  readonly elicitation: Elicitation
}

/** Answers the question that a connection was asked by. */
export async function settleQuestion(
  desk: Pick<ConnectionDesk, 'questions'>,
  id: ElicitationId,
  person: Person,
  answer: Answer,
): Promise<SettledQuestion> {
  const answered = await desk.questions.answer(id, { ...person, via: 'page' }, answer)
  if (answered.kind === 'kept') return { kind: 'settled', elicitation: answered.elicitation }
  if (answered.kind === 'late') return { kind: 'late', elicitation: answered.elicitation }
  // The reason is longer than this installation takes: the end counts and not its words, and nothing may hang.
  return settleQuestion(desk, id, person, { action: 'decline' })
}
