import type { Desk } from '../desk.ts'
import type { Elicitation } from '../elicitation.ts'
import { isSettled } from '../elicitation.ts'
import { mustExist } from '../errors.ts'
import type { FieldError } from '../form/validate.ts'
import { saveEvent } from '../settle.ts'
import { delegationProblem, delegationProblemWords } from '../voting/delegate.ts'
import type { Answerer, Answering } from './answerers.ts'
import { delegateField } from './may-answer.ts'

/** How handing a question on ended. */
export type HandedOn =
  | { readonly kind: 'delegated' | 'late'; readonly elicitation: Elicitation }
  | { readonly kind: 'invalid'; readonly errors: readonly FieldError[] }

/** Hands this person's part of a question to somebody else, if the rule lets them. */
export async function handOn(desk: Desk, asked: Elicitation, answering: Answering, to: Answerer): Promise<HandedOn> {
  const { participant, groups, via } = answering
  const person = { participant, groups }
  const known = await desk.people.find(to)
  const given = { person, to, via, ...(known && { receiver: known }) }
  const problem = delegationProblem(asked, person, to, known)
  if (problem !== undefined) return refused(delegationProblemWords[problem])
  const unknown = desk.people.problemWith(to)
  if (unknown !== undefined) return refused(unknown)
  const event = { kind: 'delegated', given, at: desk.clock.now() } as const
  const elicitation = mustExist(await saveEvent(desk, asked, event), asked.id)
  if (isSettled(elicitation)) return { kind: 'late', elicitation }
  const isKept = elicitation.voting?.delegations.some(({ from, to: other }) => from === participant && other === to)
  return isKept ? { kind: 'delegated', elicitation } : refused('The question changed meanwhile. Look at it again.')
}

function refused(message: string): HandedOn {
  return { kind: 'invalid', errors: [{ field: delegateField, message }] }
}
