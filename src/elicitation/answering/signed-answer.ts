import type { JsonObject } from '../../base/json.ts'
import type { Answer, Elicitation } from '../elicitation.ts'

/**
 * Exactly what a person signs with this answer: which question, everything that gives it its meaning (the call with its
 * arguments, and the rule that asked), what other approvers changed before, what they chose, and what they changed.
 */
export function whatIsSigned({ id, identity, voting }: Elicitation, answer: Answer): JsonObject {
  const edited = voting?.edit?.digest
  return { to: 'answer', about: id, identity, answer: answer as unknown as JsonObject, ...(edited && { edited }) }
}
