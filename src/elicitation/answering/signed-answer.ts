import type { JsonObject } from '../../base/json.ts'
import type { Answer, Elicitation } from '../elicitation.ts'

/**
 * Exactly what a person signs with this answer: which question, everything that gives it its meaning (the call with its
 * arguments, and the rule that asked), what they chose, and what they changed.
 */
export function whatIsSigned({ id, identity }: Elicitation, answer: Answer): JsonObject {
  return { to: 'answer', about: id, identity, answer: answer as unknown as JsonObject }
}
