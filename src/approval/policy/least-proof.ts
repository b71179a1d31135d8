import type { Proof } from '../../elicitation/answering/proof.ts'
import type { Decision } from './policy.ts'

/** The least proof that a yes must have. `inbox` also keeps the question from the client; as a proof it is a page. */
export function leastProof({ answer }: Pick<Decision, 'answer'>): Proof {
  return answer === 'inbox' ? 'page' : answer
}
