import { AssentError } from '../base/errors.ts'
import type { Elicitation, ElicitationId } from './elicitation.ts'

/** No such question: never asked, or kept no longer. */
export class ElicitationNotFound extends AssentError {
  readonly code = 'not_found'
  constructor(id: ElicitationId) {
    super('There is no such question. It may have been deleted since.', { detail: `question ${id}` })
  }
}

/** For callers that cannot go on without the question: throws `ElicitationNotFound` if it is gone. */
export function mustExist(elicitation: Elicitation | undefined, id: ElicitationId): Elicitation {
  if (elicitation === undefined) throw new ElicitationNotFound(id)
  return elicitation
}

/** A question that must not be asked as it stands. */
export class BadQuestion extends AssentError {
  readonly code = 'bad_question'
}

/** The requester, or its participant, has as many questions open as one may have. */
export class TooManyOpen extends AssentError {
  readonly code = 'too_many_open'
  constructor(limit: number) {
    super(`There are ${limit} questions open already. Answer or withdraw one first.`)
  }
}
