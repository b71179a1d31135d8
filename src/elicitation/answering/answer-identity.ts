import type { Elicitation } from '../elicitation.ts'

/** The identity a sealed answer is bound to: sealed for one elicitation, it opens in no other. */
export function answerIdentity({ id }: Pick<Elicitation, 'id'>): string {
  return `elicitation/${id}/answer`
}
